"""The exceptions of this package. All of them are a `GeodesignError`; no message shows the token.

What led to an exception is its `__cause__`: a `ConnectionRefusedError`, a `FileNotFoundError`, a `ValueError` with the
position in the JSON.

>>> from pygeodesign import Sandbox
>>> with Sandbox() as sandbox:
...     try:
...         sandbox.client().project("0000000000000000").info()
...     except NotFoundError as error:
...         print(error.status_code, error.method, error.path)
404 GET /projects/0000000000000000/
"""


class GeodesignError(Exception):
    """The base class of all exceptions of pygeodesign."""


class ConfigurationError(GeodesignError, ValueError):
    """A client or a sandbox cannot be made with these settings: no token, no address, an unreadable file."""


class HttpsRequiredError(ConfigurationError):
    """Plain http to another machine would show the token to everyone on the way."""


class InputError(GeodesignError, ValueError):
    """An argument cannot be used. Nothing was sent."""


class TransportError(GeodesignError, ConnectionError):
    """The service could not be reached, or the connection broke, on every try."""


class RequestTimeoutError(GeodesignError, TimeoutError):
    """The answer did not arrive within the time limits."""


class DecodeError(GeodesignError, ValueError):
    """The answer of the service cannot be decoded, or contradicts itself."""


class ExternalFileError(GeodesignError, ValueError):
    """The file of an external diagram cannot be opened: it is refused, cannot be had, or is no FlatGeobuf."""


class ApiError(GeodesignError):
    """The service answered with an error status.

    Attributes:
        status_code: The HTTP status.
        method: The HTTP method of the request.
        path: The path of the request, below the API root.
        body: The answer's body, as text.
    """

    def __init__(self, message: str, *, status_code: int, method: str, path: str, body: str) -> None:
        """Keep the details of the request with the message."""
        super().__init__(message)
        self.status_code = status_code
        self.method = method
        self.path = path
        self.body = body

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle with the details, so that a worker process can pass the error on."""
        details = {"status_code": self.status_code, "method": self.method, "path": self.path, "body": self.body}
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
    """404: there is no such thing, or it belongs to a project of which the user is no member."""


class RateLimitedError(ApiError):
    """429: too many requests."""


class ServerError(ApiError):
    """5xx: the service failed."""
