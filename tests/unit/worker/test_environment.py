"""What a child gets of its parent's environment."""

import pytest

from blobforge.worker.environment import child_environment

NEEDED = {
    "PATH": "/bin",
    "HOME": "/root",
    "LC_ALL": "C.UTF-8",
    "PYTHONPATH": "/src",
    "OMP_NUM_THREADS": "1",
    "HF_HOME": "/models",
    "TESSDATA_PREFIX": "/tessdata",
    "https_proxy": "http://proxy:3128",
}
OTHERS = {
    "AWS_SECRET_ACCESS_KEY": "x",
    "BLOBFORGE_QUEUE": "postgresql://user:x@host/db",
    "HF_TOKEN": "x",
    # Their beginnings are those of names that children need, and nothing in them says that they are secret.
    "PYTHON_DSN": "x",
    "XDG_SESSION_COOKIE": "x",
    "HF_LOGIN": "x",
    "LC_SIGNATURE": "x",
    "COVERAGE_UPLOAD": "x",
    "CUDA_LICENSE": "x",
    "SOMETHING_ELSE": "x",
}


def test_a_child_gets_the_names_on_the_list_and_no_others() -> None:
    assert child_environment({**NEEDED, **OTHERS}) == NEEDED


def test_what_somebody_asks_to_pass_on_is_passed_on_as_it_is() -> None:
    given = {"HF_TOKEN": "x", "MIRROR": "http://user:password@mirror", "PATH": "/bin", "OTHER": "y"}

    assert child_environment(given, also=("HF_TOKEN", "MIRROR", "NOT_SET")) == {
        "HF_TOKEN": "x",
        "MIRROR": "http://user:password@mirror",
        "PATH": "/bin",
    }


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("http://user:password@proxy:3128", "http://proxy:3128"),
        ("http://user:p@ss/word@proxy:3128/", "http://proxy:3128/"),
        ("http://token@proxy", "http://proxy"),
    ],
)
def test_a_proxy_keeps_its_address_and_loses_its_password(given: str, kept: str) -> None:
    assert child_environment({"HTTP_PROXY": given}) == {"HTTP_PROXY": kept}
