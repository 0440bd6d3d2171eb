"""How workers and servers are packed and run as services: what can be seen of it without an engine for containers."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.repo.containerfile import Instruction, Stage, stages_of
from tests.server_scene import scene_in

from blobforge.cli.worker_beside import ENDS_WITHIN_SECONDS
from blobforge.config.catalog import by_name
from blobforge.domain.needs import language_package

ROOT = Path(__file__).parents[2]
STAGES = stages_of(ROOT / "Containerfile")
COMPOSITIONS = {
    name: next(iter(yaml.safe_load((ROOT / f"compose.{name}.yaml").read_text(encoding="utf-8"))["services"].values()))
    for name in ("lab", "pdf", "server")
}
UNITS = {name: ROOT / "examples" / "systemd" / f"blobforge-{name}.service" for name in ("worker", "server")}
DIGEST = "sha256:" + "0" * 64


def seconds(text: str) -> int:
    (number,) = re.fullmatch(r"(\d+)s", text).groups()  # type: ignore[union-attr]
    return int(number)


def megabytes(text: str) -> int:
    number, unit = re.fullmatch(r"(\d+)([mg])", text.lower()).groups()  # type: ignore[union-attr]
    return int(number) * {"m": 1, "g": 1024}[unit]


def grace_of(command: str) -> int:
    (number,) = re.findall(r"--grace-seconds (\d+)", command)
    return int(number)


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_the_base_image_is_named_with_its_digest_by_whoever_builds(name: str) -> None:
    images = {stage.base for stage in STAGES.values()} - set(STAGES)

    assert images == {"${PYTHON_IMAGE}"}
    assert "PYTHON_IMAGE:?" in COMPOSITIONS[name]["build"]["args"]["PYTHON_IMAGE"]
    assert "PYTHON_IMAGE=" in (ROOT / f".env.{name}.example").read_text(encoding="utf-8").splitlines()
    assert not re.search(r"python:\S+@sha256:[0-9a-f]", (ROOT / "Containerfile").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("image", "code"), [(f"python:3.13-slim@{DIGEST}", 0), ("python:3.13-slim", 1), ("", 1)], ids=str
)
def test_a_tag_alone_is_refused_by_the_build(image: str, code: int) -> None:
    (run,) = STAGES["base"].lines("RUN")
    check = run.partition(" && useradd")[0]

    done = subprocess.run(["sh", "-c", check], env={"PYTHON_IMAGE": image}, capture_output=True, text=True, check=False)

    assert done.returncode == code
    assert ("has no digest" in done.stderr) is bool(code)


@pytest.mark.parametrize("name", ["pdf", "lab", "server"])
def test_an_image_runs_as_a_user_by_number_and_says_what_it_is(name: str) -> None:
    stage = STAGES[name]

    assert stage.lines("USER") == ["10001:10001"]
    assert stage.instructions.index(Instruction("USER", "10001:10001")) > max(
        place for place, instruction in enumerate(stage.instructions) if instruction.name in ("RUN", "COPY")
    )
    assert stage.lines("ENTRYPOINT") == ['["blobforge"]']
    (labels,) = stage.lines("LABEL")
    told = set(re.findall(r"org\.opencontainers\.image\.(\w+)=", labels))
    assert told >= {"title", "description", "licenses", "version", "revision"}


def test_the_image_for_pdfs_has_what_workers_need_and_tesseract_with_languages() -> None:
    """R2-30."""
    runs = STAGES["pdf"].lines("RUN") + STAGES["pdf-environment"].lines("RUN")

    assert any("--require-hashes -r requirements/workers.txt" in run for run in runs)
    (packages,) = [run for run in runs if "apt-get install" in run]
    assert packages.endswith("rm -rf /var/lib/apt/lists/*")
    assert any("OCR_LANGUAGES=" in argument for argument in STAGES["pdf"].lines("ARG"))
    assert list(STAGES)[-1] == "pdf", "what is built when no target is named"


def test_languages_are_named_as_tesseract_calls_them_and_installed_as_debian_calls_them(tmp_path: Path) -> None:
    (run,) = [run for run in STAGES["pdf"].lines("RUN") if "apt-get install" in run]
    apt = tmp_path / "apt-get"
    apt.write_text('#!/bin/sh\necho "$@"\n')
    apt.chmod(0o755)
    command = run.replace("rm -rf /var/lib/apt/lists/*", "true")
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "OCR_LANGUAGES": "eng chi_sim srp_latn"}

    said = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True, check=True).stdout

    installed = said.splitlines()[-1].split()
    wanted = [language_package(language) for language in ("eng", "chi_sim", "srp_latn")]
    assert installed[-4:] == ["tesseract-ocr", *wanted]
    assert wanted[1:] == ["tesseract-ocr-chi-sim", "tesseract-ocr-srp-latn"]


def installs(stage: Stage) -> list[str]:
    return [
        command
        for run in stage.lines("RUN")
        for command in re.split(r" && ", run)
        if re.search(r"\bpip (install|wheel)\b", command)
    ]


def test_whatever_pip_installs_is_locked_by_hashes_or_was_built_before() -> None:
    commands = [command for stage in STAGES.values() for command in installs(stage)]

    assert len(commands) == 6
    assert [
        command
        for command in commands
        if ("--require-hashes" not in command and "--no-deps" not in command) or "--no-cache-dir" not in command
    ] == []


def test_what_the_images_copy_is_there_and_not_ignored() -> None:
    """R3-35."""
    copied = [
        name
        for stage in STAGES.values()
        for line in stage.lines("COPY")
        if not line.startswith("--from")
        for name in line.split()[:-1]
    ]
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[0] == "!"}

    assert {"src", "requirements/workers.txt", "requirements/lab.txt"} <= set(copied)
    assert [name for name in copied if not (ROOT / name).exists()] == []
    assert [name for name in copied if name.split("/")[0] not in kept] == []


@pytest.mark.parametrize("service", COMPOSITIONS.values(), ids=COMPOSITIONS)
def test_a_container_can_write_to_memory_alone_and_gain_no_rights(service: dict[str, Any]) -> None:
    assert service["read_only"] is True
    assert [place.partition(":")[0] for place in service["tmpfs"]] == ["/tmp"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert not {"network_mode", "privileged", "devices"} & set(service)


@pytest.mark.parametrize("name", ["lab", "pdf"])
def test_the_container_of_a_worker_opens_no_port(name: str) -> None:
    assert not {"ports", "expose"} & set(COMPOSITIONS[name])


def test_the_container_of_a_server_is_reached_from_its_own_machine_alone_until_somebody_says_more() -> None:
    assert COMPOSITIONS["server"]["ports"] == ["${LISTEN:-127.0.0.1:8080}:8080"]
    assert "LISTEN=127.0.0.1:8080" in env_example("server")
    assert "BLOBFORGE_HOST=0.0.0.0" in " ".join(STAGES["server"].lines("ENV"))
    assert "BLOBFORGE_PUBLIC_URL:?" in COMPOSITIONS["server"]["environment"]["BLOBFORGE_PUBLIC_URL"]


def test_the_image_of_a_server_has_what_is_locked_and_a_home_of_its_user_that_outlives_the_container() -> None:
    stage = STAGES["server"]
    (made,) = stage.lines("RUN")
    home = made.split()[-1]

    assert stage.lines("COPY") == ["--from=pdf-environment /opt/blobforge /opt/blobforge"]
    assert made.startswith("install -d -m 700 -o 10001 -g 10001 ")
    assert stage.lines("VOLUME") == [home]
    assert f"BLOBFORGE_HOME={home}" in " ".join(stage.lines("ENV"))
    assert COMPOSITIONS["server"]["volumes"] == [f"home:{home}"]
    assert stage.lines("CMD") == ['["server"]']
    assert COMPOSITIONS["server"]["build"]["target"] == "server"


def test_a_server_ends_before_its_container_is_killed() -> None:
    service = COMPOSITIONS["server"]

    assert service["environment"]["BLOBFORGE_SHUTDOWN_SECONDS"] + 10 < seconds(service["stop_grace_period"])


def test_a_worker_is_asked_by_its_own_command_whether_it_lives() -> None:
    assert COMPOSITIONS["pdf"]["healthcheck"]["test"] == ["CMD", "blobforge", "worker", "health"]


@pytest.mark.parametrize(("path", "is_healthy"), [("/livez", True), ("/gone", False)])
def test_a_server_that_does_not_answer_is_found_by_the_check_of_its_container(
    tmp_path: Path, path: str, is_healthy: bool
) -> None:
    """The command as it stands, but for its address, in a shell that has no proxy settings of ours."""
    kind, program, *arguments = COMPOSITIONS["server"]["healthcheck"]["test"]

    with scene_in(tmp_path) as scene:
        asked = [text.replace("http://127.0.0.1:8080/livez", scene.url + path) for text in arguments]
        done = subprocess.run([sys.executable, *asked], env={"PATH": "/usr/bin"}, capture_output=True, check=False)

    assert (kind, program, asked == arguments) == ("CMD", "python", False)
    assert (done.returncode == 0) is is_healthy


def test_a_worker_ends_before_its_container_is_killed_and_needs_less_memory_than_that_has() -> None:
    service = COMPOSITIONS["pdf"]
    slots, child = (int(service["environment"][f"BLOBFORGE_{name}"]) for name in ("SLOTS", "CHILD_MEMORY_MB"))
    disk = megabytes(service["tmpfs"][0].partition("size=")[2])

    # Ten seconds are what handing back may take where the queue does not answer.
    assert grace_of(" ".join(service["command"])) + 10 < seconds(service["stop_grace_period"])
    assert slots * child + disk < megabytes(service["mem_limit"])


@pytest.mark.parametrize("name", ["pdf", "server"])
def test_the_example_of_an_env_file_names_settings_that_exist(name: str) -> None:
    """What is commented out, too."""
    names = {
        line.removeprefix("# ").partition("=")[0] for line in env_example(name) if re.match(r"(# )?[A-Z_0-9]+=", line)
    }

    known = {setting.environment for setting in by_name().values()} | {"PYTHON_IMAGE", "OCR_LANGUAGES", "LISTEN"}
    assert names <= known | {"BLOBFORGE_S3_BUCKET", "BLOBFORGE_S3_PREFIX", "BLOBFORGE_SERVER_URL"}


def env_example(name: str) -> list[str]:
    return (ROOT / f".env.{name}.example").read_text(encoding="utf-8").splitlines()


def settings_of(unit: Path) -> dict[str, str]:
    return dict(re.findall(r"^(\w+)=(.*)$", unit.read_text(encoding="utf-8"), re.MULTILINE))


def test_the_service_tells_the_worker_alone_and_waits_longer_than_that_needs() -> None:
    settings = settings_of(UNITS["worker"])

    assert settings["KillMode"] == "mixed"
    assert grace_of(settings["ExecStart"]) + 10 < seconds(settings["TimeoutStopSec"])
    assert settings["OOMPolicy"] == "continue"


def test_the_service_of_a_server_waits_for_requests_and_for_a_worker_beside_it() -> None:
    settings = settings_of(UNITS["server"])
    (shutdown,) = re.findall(r"BLOBFORGE_SHUTDOWN_SECONDS=(\d+)", settings["Environment"])

    assert settings["ExecStart"].endswith("/blobforge server")
    assert settings["KillMode"] == "mixed"
    assert int(shutdown) + ENDS_WITHIN_SECONDS < seconds(settings["TimeoutStopSec"])
    assert f"BLOBFORGE_HOME=%S/{settings['StateDirectory']} " in settings["Environment"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
@pytest.mark.parametrize("service", UNITS.values(), ids=UNITS)
def test_systemd_finds_nothing_wrong_with_the_service_and_little_exposed(service: Path, tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("blobforge")
    unit = tmp_path / service.name
    unit.write_text(service.read_text(encoding="utf-8").replace("/opt/blobforge/bin/blobforge", str(program)))

    verified = analysed("verify", str(unit))
    exposed = analysed("security", "--offline=true", "--no-pager", "--threshold=20", str(unit))

    assert (verified.returncode, verified.stdout + verified.stderr) == (0, "")
    assert exposed.returncode == 0, exposed.stdout[-200:]


def analysed(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, check=False)
