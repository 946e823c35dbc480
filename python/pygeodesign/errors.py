"""What can go wrong. `GeodesignError` stands over everything; no message holds the token.

>>> from pygeodesign import Sandbox
>>> with Sandbox() as sandbox:
...     try:
...         sandbox.client().project("0000000000000000").info()
...     except NotFoundError as error:
...         print(error.status_code, error.method, error.path)
404 GET /projects/0000000000000000/
"""


class GeodesignError(Exception):
    """Anything that pygeodesign raises of its own."""


class ConfigurationError(GeodesignError, ValueError):
    """A client or a sandbox cannot be set up like this: no token, no address, an unreadable file."""


class HttpsRequiredError(ConfigurationError):
    """Plain http to another machine would show the token to everyone on the way."""


class InputError(GeodesignError, ValueError):
    """An argument cannot be used. Nothing was sent."""


class TransportError(GeodesignError, ConnectionError):
    """The service could not be reached, or the connection broke, on every try."""


class RequestTimeoutError(GeodesignError, TimeoutError):
    """The answer was not there in time."""


class DecodeError(GeodesignError, ValueError):
    """The service answered, but with something that cannot be read, or that contradicts itself."""


class ApiError(GeodesignError):
    """The service said no.

    Attributes:
        status_code: The HTTP status.
        method: The HTTP method of the request.
        path: The path of the request, below the API root.
        body: The answer's body, as text.
    """

    def __init__(self, message: str, *, status_code: int, method: str, path: str, body: str) -> None:
        """Keep the facts beside the message."""
        super().__init__(message)
        self.status_code = status_code
        self.method = method
        self.path = path
        self.body = body

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle with the facts, so that the error can leave a worker process."""
        facts = {"status_code": self.status_code, "method": self.method, "path": self.path, "body": self.body}
        return (_remake, (type(self), str(self), facts))


def _remake(kind: type[ApiError], message: str, facts: dict[str, object]) -> ApiError:
    return kind(message, **facts)  # type: ignore[arg-type]


class BadRequestError(ApiError):
    """400: the request holds something that the service cannot take."""


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
