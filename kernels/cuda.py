"""The CUDA target (and HIP, where CuPy is built for ROCm): the text goes to the run-time compiler as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from kernels.arguments import Launch
from kernels.errors import CompileError, LaunchError, ToolMissing
from kernels.signature import Signature
from kernels.source import Source

if TYPE_CHECKING:
    from kernels.emulator.launch import InspectOptions, Report

OPTIONS = ("-std=c++17",)
_LOG_LINE = re.compile(r"^[^\n(]*\((\d+)\): (?:catastrophic )?error:?\s*(.*)$", re.MULTILINE)
_CLANG_LINE = re.compile(r"^[^\n:]*:(\d+):\d+: (?:fatal )?error: (.*)$", re.MULTILINE)
OLD_CARD = (
    "this CUDA stack has no code for this card; cards before compute capability 7.5 need CUDA 11 or 12: install the "
    'course\'s own requirements.txt (cupy-cuda11x), or use target="emulator"'
)
_OLD_CARD_SIGNS = (
    "no kernel image",
    "invalid device function",
    "invalid value for --gpu-architecture",
    "cuda_error_no_binary",
    "unsupported gpu architecture",
    "cudaerrornokernelimagefordevice",
)


def device_present() -> bool:
    """Whether CuPy is installed and sees a device."""
    try:
        import cupy
    except ImportError:
        return False
    try:
        return bool(cupy.cuda.runtime.getDeviceCount() > 0)
    except cupy.cuda.runtime.CUDARuntimeError:
        return False


class CudaTarget:
    """Kernels of one text on the current device."""

    name = "cuda"

    def __init__(self, source: Source, found: Sequence[Signature]) -> None:
        self._cupy = _cupy()
        self.array_type: type[Any] = self._cupy.ndarray
        names = [signature.name for signature in found]
        expressions = names if any("<" in name for name in names) else None
        try:
            self._module = self._cupy.RawModule(code=source.text, options=OPTIONS, name_expressions=expressions)
            self._functions = {name: self._module.get_function(name) for name in names}
        except Exception as error:  # CuPy raises its own kinds, by version; each becomes one line
            raise translate(error) from None

    def function(self, kernel: str) -> Any:
        """CuPy's own kernel: ``num_regs``, ``shared_size_bytes`` and what else the driver knows."""
        return self._functions[kernel]

    def launch(self, kernel: str, launch: Launch, stream: Any) -> None:
        """Queue one launch; errors in it appear when the stream is waited for, as with every CUDA launch."""
        function = self._functions[kernel]
        try:
            if launch.shared > 48 * 1024:
                function.max_dynamic_shared_size_bytes = launch.shared
            if stream is None:
                function(launch.grid, launch.block, launch.values, shared_mem=launch.shared)
            else:
                with stream:
                    function(launch.grid, launch.block, launch.values, shared_mem=launch.shared)
        except Exception as error:
            raise translate(error, kernel) from None

    def inspect(self, kernel: str, launch: Launch, options: InspectOptions) -> Report:
        """Refused: a GPU does not show what its threads do."""
        raise LaunchError(f"{kernel}: only the emulator can inspect a launch; load the text with target=\"emulator\"")


def _cupy() -> ModuleType:
    try:
        import cupy
    except ImportError as error:
        raise ToolMissing(
            f'CuPy is not installed ({error}); install requirements.txt, or use target="emulator"'
        ) from None
    if not device_present():
        raise ToolMissing("no CUDA device is visible (nvidia-smi lists them); use target=\"emulator\"")
    module: ModuleType = cupy
    return module


def translate(error: Exception, kernel: str = "") -> Exception:
    """A CuPy or driver error as one line, with the text's own line number where the compiler's log has one."""
    text = str(error)
    if any(sign in text.lower() for sign in _OLD_CARD_SIGNS):
        return ToolMissing(OLD_CARD)
    match = _LOG_LINE.search(text) or _CLANG_LINE.search(text)
    if match:
        return CompileError(match[2].strip(), int(match[1]))
    first = text.strip().splitlines()[0] if text.strip() else type(error).__name__
    if "compile" in type(error).__name__.lower():
        return CompileError(first, None)
    return LaunchError(f"{kernel + ': ' if kernel else ''}{first}")
