"""The environment of a child: an allow-list of its parent's variables, without secrets."""

import re
from collections.abc import Collection, Mapping

KEPT = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TZ", "TMPDIR", "LANG", "LANGUAGE"),
        *("LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME", "LC_PAPER"),
        *("LC_NAME", "LC_ADDRESS", "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION"),
        *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS"),
        *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "TESSDATA_PREFIX", "FONTCONFIG_PATH"),
        *("PYTHONPATH", "PYTHONHOME", "PYTHONHASHSEED", "PYTHONUTF8", "PYTHONIOENCODING", "PYTHONWARNINGS"),
        *("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "PYTHONNOUSERSITE", "PYTHONUSERBASE", "PYTHONOPTIMIZE"),
        *("PYTHONFAULTHANDLER", "PYTHONMALLOC", "PYTHONDEVMODE", "PYTHONUNBUFFERED", "PYTHONTRACEMALLOC"),
        *("COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG", "COVERAGE_RCFILE", "COVERAGE_CORE", "COVERAGE_FILE"),
        *("OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "OMP_DYNAMIC", "OMP_PROC_BIND", "OMP_PLACES", "OMP_WAIT_POLICY"),
        *("MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"),
        *(
            "CUDA_VISIBLE_DEVICES",
            "CUDA_DEVICE_ORDER",
            "CUDA_HOME",
            "CUDA_PATH",
            "CUDA_CACHE_PATH",
            "CUDA_MODULE_LOADING",
        ),
        *(
            "NVIDIA_VISIBLE_DEVICES",
            "NVIDIA_DRIVER_CAPABILITIES",
            "TORCH_HOME",
            "TORCH_DEVICE",
            "TORCHINDUCTOR_CACHE_DIR",
        ),
        *("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ENABLE_MPS_FALLBACK", "HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE"),
        *("HF_ENDPOINT", "HF_DATASETS_OFFLINE", "TRANSFORMERS_CACHE", "TRANSFORMERS_OFFLINE", "MODEL_CACHE_DIR"),
        *("DOCLING_ARTIFACTS_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"),
        *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    }
)
# A proxy's address may name its user; the child goes without.
_URL_PASSWORD = re.compile(r"(?<=://)\S*@")


def child_environment(environment: Mapping[str, str], *, also: Collection[str] = ()) -> dict[str, str]:
    """`also` are further names that somebody asked to pass on, secrets or not: they are passed as they are."""
    kept = {name: _URL_PASSWORD.sub("", value) for name, value in environment.items() if name in KEPT}
    return kept | {name: environment[name] for name in also if name in environment}
