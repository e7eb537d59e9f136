"""Logs of Inspect (`.eval`): a zip archive with a JSON document for each sample."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Any

from compactor_cli.containers.base import check_size
from compactor_cli.errors import InputError
from compactor_cli.model.content import Content

if TYPE_CHECKING:
    import zipfile


class EvalLog:
    name = "eval"
    suffixes: tuple[str, ...] = (".eval",)
    copies = True

    def holds(self, data: Content) -> bool:
        return data.startswith(b"PK\x03\x04")

    def unpack(self, data: bytes) -> bytes:
        """Return the samples, one per line. Raw line breaks in JSON are always white space, so blanks can replace
        them."""
        import lzma
        import struct
        import zipfile
        import zlib

        damaged = (
            zipfile.BadZipFile,
            _zip_library().BadZipFile,
            zlib.error,
            lzma.LZMAError,
            struct.error,
            ValueError,  # positions before the beginning, names that are not text
            RuntimeError,  # also for an unknown compression method
            EOFError,
            OSError,
        )
        try:
            with _open_zip(data) as archive:
                samples = _sample_files(archive)
                check_size(sum(archive.getinfo(name).file_size for name in samples), len(data))
                lines = [_one_line(archive.read(name)) for name in samples]
        except damaged as error:
            raise InputError(f"the zip archive is damaged: {error}") from None
        if not lines:
            raise InputError("a zip archive without samples of an Inspect log; unpack it and name one of its files")
        return b"\n".join(lines) + b"\n"

    def pack(self, data: bytes, original: bytes) -> bytes:
        """Return the archive with the changed samples; all other files in it keep their content."""
        import zipfile

        lines = data.split(b"\n")[:-1]
        out = io.BytesIO()
        with _open_zip(original) as archive, _zip_library().ZipFile(out, "w", zipfile.ZIP_DEFLATED) as written:
            samples = _sample_files(archive)
            if len(samples) != len(lines):
                raise InputError(f"only {len(lines)} of {len(samples)} samples are left, but the archive must hold all")
            new = dict(zip(samples, lines, strict=True))
            for item in archive.infolist():
                content = archive.read(item)
                if item.filename in new and _one_line(content) != new[item.filename]:
                    content = new[item.filename]
                written.writestr(item, content, compress_type=item.compress_type)
        return out.getvalue()


def _sample_files(archive: zipfile.ZipFile) -> list[str]:
    return [name for name in archive.namelist() if name.startswith("samples/") and name.endswith(".json")]


def _one_line(document: bytes) -> bytes:
    return document.strip().replace(b"\r", b" ").replace(b"\n", b" ")


def _open_zip(data: bytes) -> zipfile.ZipFile:
    archive: zipfile.ZipFile = _zip_library().ZipFile(io.BytesIO(data))
    return archive


def _zip_library() -> Any:
    """Return a zipfile module that also supports the method zstandard."""
    if sys.version_info >= (3, 14):
        import zipfile

        return zipfile
    from backports.zstd import zipfile as with_zstandard

    return with_zstandard
