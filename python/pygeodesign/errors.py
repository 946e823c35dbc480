"""The exceptions of this package, all subclasses of `GeodesignError`. Their messages never contain the token,
and at most 500 characters of a server's text, without control characters for terminals.

The `__cause__` of an exception is, for example, a `ConnectionRefusedError`, a `FileNotFoundError` or a `ValueError`
with the position in the JSON.

>>> from pygeodesign import Sandbox
>>> with Sandbox() as sandbox:
...     try:
...         sandbox.client().project("0000000000000000").info()
...     except NotFoundError as error:
...         print(error.status_code, error.method, error.path)
404 GET /projects/0000000000000000/
"""

# Without loading `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pygeodesign.types import UploadedRow


class GeodesignError(Exception):
    """The base class of all exceptions of pygeodesign.

    Attributes:
        request_id: The service's id of the request, if it responded with one; the service's log has the same
            id.
    """

    request_id: str | None = None


class ConfigurationError(GeodesignError, ValueError):
    """A client or a sandbox cannot be created with these settings, such as no token, no URL or an unreadable file."""


class HttpsRequiredError(ConfigurationError):
    """The URL is plain http to another machine, so that others in the network could read the token."""


class InputError(GeodesignError, ValueError):
    """An argument is invalid. No request was sent.

    Attributes:
        rows: For `add_diagrams`, the rows that cannot be sent, as `UploadedRow` dicts; else empty.
    """

    rows: "Sequence[UploadedRow]" = ()


class TransportError(GeodesignError, ConnectionError):
    """The service could not be reached, or the connection broke, at the first try and at every retry; or the responding
    server does not prove to be the service.
    """


class RequestTimeoutError(GeodesignError, TimeoutError):
    """The response did not arrive within the time limits."""


class DecodeError(GeodesignError, ValueError):
    """The response of the service cannot be decoded, or contradicts itself."""


class ExternalFileError(GeodesignError, ValueError):
    """The file of an external diagram cannot be opened: it is refused, unavailable, or not a FlatGeobuf file."""


class ArchiveError(GeodesignError, ValueError):
    """An archive of a project cannot be written or read: its folder or file is missing, or it is damaged or newer."""


class ApiError(GeodesignError):
    """The service responded with an error status.

    Attributes:
        status_code: The HTTP status.
        method: The HTTP method of the request.
        path: The path of the request, below the API root.
        body: The response body as a string, up to 64 KiB, as the server sent it. Print `repr(error.body)`: unlike
            the message, the body may contain control characters for terminals.
    """

    def __init__(
        self, message: str, *, status_code: int, method: str, path: str, body: str, request_id: str | None = None
    ) -> None:
        """Keeps the details of the request with the message."""
        super().__init__(message)
        self.status_code = status_code
        self.method = method
        self.path = path
        self.body = body
        self.request_id = request_id

    def __reduce__(self) -> tuple[object, ...]:
        """Pickles with the details, so that a worker process can pass the error on."""
        names = ("status_code", "method", "path", "body", "request_id")
        details = {name: getattr(self, name) for name in names}
        return (_remake, (type(self), str(self), details))


def _remake(kind: type[ApiError], message: str, details: dict[str, object]) -> ApiError:
    return kind(message, **details)  # type: ignore[arg-type]


class BadRequestError(ApiError):
    """400: the service cannot process the request; the message names the wrong value."""


class AuthenticationError(ApiError):
    """401: the token is missing, wrong or expired."""


class PermissionDeniedError(ApiError):
    """403: the user may not do this."""


class NotFoundError(ApiError):
    """404: the path or an id in it does not exist, or belongs to a project that the user is not a member of."""


class RateLimitedError(ApiError):
    """429: too many requests."""


class ServerError(ApiError):
    """5xx: the service failed."""
