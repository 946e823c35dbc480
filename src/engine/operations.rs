//! One list of operations for two classes: each operation becomes a blocking method of one and an awaitable method of the other,
//! with the same name, arguments and documentation.

use http::StatusCode;
use pyo3::prelude::*;

use super::runtime::Request;
use geodesign_client::{Client, Part, Project, Referred, Result};

/// A type whose methods are operations.
pub trait Handle: Sized {
    /// The handle, once the id of its project is known.
    fn found(self) -> impl Future<Output = Result<Self>> + Send;

    /// The project that it belongs to.
    fn of_project(&self) -> Option<Project>;
}

/// The same request, whose error lists the user's projects if there is no project of that id.
pub fn explained(request: Request, project: Option<Project>) -> Request {
    let Some(project) = project else { return request };
    Box::pin(async move {
        match request.await {
            // If the project was found, something else is missing.
            Err(error) if !project.was_found() && is_not_found(&error) => Err(listing_projects(error, &project).await),
            response => response.inspect(|_| project.note_found()),
        }
    })
}

fn is_not_found(error: &PyErr) -> bool {
    Python::attach(|py| {
        let status = error.value(py).getattr("status_code").and_then(|status| status.extract::<u16>());
        status.is_ok_and(|status| status == StatusCode::NOT_FOUND)
    })
}

async fn listing_projects(error: PyErr, project: &Project) -> PyErr {
    let Some(listed) = project.listed_instead().await else { return error };
    Python::attach(|py| {
        let value = error.value(py);
        let said = value.to_string();
        // The id of the request stays at the end.
        let (before, request) = said.rfind(" (request ").map_or((&*said, ""), |at| said.split_at(at));
        let message = format!("{before}. {listed}{request}");
        // The error stays unchanged if its text cannot be set.
        let _ = value.setattr("args", (message,));
    });
    error
}

impl Handle for Client {
    async fn found(self) -> Result<Self> {
        Ok(self)
    }

    fn of_project(&self) -> Option<Project> {
        None
    }
}

impl Handle for Project {
    async fn found(self) -> Result<Self> {
        self.find().await?;
        Ok(self)
    }

    fn of_project(&self) -> Option<Project> {
        Some(self.clone())
    }
}

impl<T: Referred> Handle for Part<T> {
    async fn found(self) -> Result<Self> {
        self.project().find().await?;
        Ok(self)
    }

    fn of_project(&self) -> Option<Project> {
        Some(self.project().clone())
    }
}

/// `fn name(arguments) -> Response = |handle| future;` for every operation. `handle` is what the classes' `handle()` returns.
macro_rules! operations {
    ($blocking:ident / $awaitable:ident of $handle_type:ty: $(
        $(#[$meta:meta])*
        fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $response:ty = |$handle:ident| $request:expr;
    )*) => {
        const _: () = {
            /// The requests that both classes send.
            struct Requests;

            impl Requests {$(
                // In Python, the arguments have names.
                #[allow(clippy::too_many_arguments)]
                fn $name($handle: $handle_type, $($argument: $type),*) -> $crate::engine::runtime::Request {
                    let project = $crate::engine::operations::Handle::of_project(&$handle);
                    let request = $crate::engine::runtime::request::<$response>(async move {
                        let $handle = $crate::engine::operations::Handle::found($handle).await?;
                        $request
                    });
                    $crate::engine::operations::explained(request, project)
                }
            )*}

            #[pymethods]
            impl $blocking {$(
                $(#[$meta])*
                // In Python, the arguments have names.
                #[allow(clippy::too_many_arguments)]
                fn $name(&self, py: Python<'_>, $($argument: <$type as $crate::convert::arguments::Taken>::Given),*) -> PyResult<Py<PyAny>> {
                    $crate::engine::runtime::wait(py, Requests::$name(self.handle()?, $(<$type as $crate::convert::arguments::Taken>::from_given($argument)),*))
                }
            )*}

            #[pymethods]
            impl $awaitable {$(
                $(#[$meta])*
                // In Python, the arguments have names.
                #[allow(clippy::too_many_arguments)]
                fn $name(&self, $($argument: <$type as $crate::convert::arguments::Taken>::Given),*) -> PyResult<$crate::engine::coroutine::Coroutine> {
                    let name = concat!(stringify!($awaitable), ".", stringify!($name));
                    Ok($crate::engine::runtime::awaitable(name, Requests::$name(self.handle()?, $(<$type as $crate::convert::arguments::Taken>::from_given($argument)),*)))
                }
            )*}
        };
    };
}

/// Like `operations!`, for operations that return handles: `-> one Team / AsyncTeam`, or `-> each …` for a list of them. The blocking
/// class makes the first, the async class the second.
macro_rules! making {
    ($blocking:ident / $awaitable:ident of $handle_type:ty: $(
        $(#[$meta:meta])*
        fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $how:ident $made:ident / $made_awaitable:ident
            = |$handle:ident| $request:expr;
    )*) => {
        #[pymethods]
        impl $blocking {$(
            $(#[$meta])*
            // In Python, the arguments have names.
            #[allow(clippy::too_many_arguments)]
            fn $name(&self, py: Python<'_>, $($argument: <$type as $crate::convert::arguments::Taken>::Given),*) -> PyResult<Py<PyAny>> {
                $(let $argument = <$type as $crate::convert::arguments::Taken>::from_given($argument);)*
                let $handle: $handle_type = self.handle()?;
                let project = $crate::engine::operations::Handle::of_project(&$handle);
                let request = async move {
                    let $handle = $crate::engine::operations::Handle::found($handle).await?;
                    Ok($crate::engine::operations::made!($how $made $request))
                };
                let request = $crate::engine::runtime::request(request);
                $crate::engine::runtime::wait(py, $crate::engine::operations::explained(request, project))
            }
        )*}

        #[pymethods]
        impl $awaitable {$(
            $(#[$meta])*
            // In Python, the arguments have names.
            #[allow(clippy::too_many_arguments)]
            fn $name(&self, $($argument: <$type as $crate::convert::arguments::Taken>::Given),*) -> PyResult<$crate::engine::coroutine::Coroutine> {
                $(let $argument = <$type as $crate::convert::arguments::Taken>::from_given($argument);)*
                let $handle: $handle_type = self.handle()?;
                let project = $crate::engine::operations::Handle::of_project(&$handle);
                let request = async move {
                    let $handle = $crate::engine::operations::Handle::found($handle).await?;
                    Ok($crate::engine::operations::made!($how $made_awaitable $request))
                };
                let name = concat!(stringify!($awaitable), ".", stringify!($name));
                let request = $crate::engine::runtime::request(request);
                Ok($crate::engine::runtime::awaitable(name, $crate::engine::operations::explained(request, project)))
            }
        )*}
    };
}

macro_rules! made {
    (one $made:ident $request:expr) => {
        $made::from($request?)
    };
    (each $made:ident $request:expr) => {
        $crate::convert::results::Listed($request?.into_iter().map($made::from).collect::<Vec<_>>())
    };
}

pub(crate) use {made, making, operations};
