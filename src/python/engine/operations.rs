//! One list of operations for two classes: each operation becomes a blocking method of one and an awaitable method of the other,
//! with the same name, arguments and documentation.

use crate::client::{Client, Part, Project, Referred, Result};

/// What operations are methods of.
pub trait Handle: Sized {
    /// The handle, once the id of its project is known.
    fn found(self) -> impl Future<Output = Result<Self>> + Send;
}

impl Handle for Client {
    async fn found(self) -> Result<Self> {
        Ok(self)
    }
}

impl Handle for Project {
    async fn found(self) -> Result<Self> {
        self.find().await?;
        Ok(self)
    }
}

impl<T: Referred> Handle for Part<T> {
    async fn found(self) -> Result<Self> {
        self.project().find().await?;
        Ok(self)
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
                fn $name($handle: $handle_type, $($argument: $type),*) -> $crate::python::engine::runtime::Request {
                    $crate::python::engine::runtime::request::<$response>(async move {
                        let $handle = $crate::python::engine::operations::Handle::found($handle).await?;
                        $request
                    })
                }
            )*}

            #[pymethods]
            impl $blocking {$(
                $(#[$meta])*
                // In Python, the arguments have names.
                #[allow(clippy::too_many_arguments)]
                fn $name(&self, py: Python<'_>, $($argument: $type),*) -> PyResult<Py<PyAny>> {
                    $crate::python::engine::runtime::wait(py, Requests::$name(self.handle()?, $($argument),*))
                }
            )*}

            #[pymethods]
            impl $awaitable {$(
                $(#[$meta])*
                // In Python, the arguments have names.
                #[allow(clippy::too_many_arguments)]
                fn $name(&self, $($argument: $type),*) -> PyResult<$crate::python::engine::coroutine::Coroutine> {
                    let name = concat!(stringify!($awaitable), ".", stringify!($name));
                    Ok($crate::python::engine::runtime::awaitable(name, Requests::$name(self.handle()?, $($argument),*)))
                }
            )*}
        };
    };
}

/// As `operations!`, for what makes handles: `-> one Team / AsyncTeam`, or `-> each …` for a list of them. The class that waits makes the first,
/// the class that is awaited the second.
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
            fn $name(&self, py: Python<'_>, $($argument: $type),*) -> PyResult<Py<PyAny>> {
                let $handle: $handle_type = self.handle()?;
                let request = async move {
                    let $handle = $crate::python::engine::operations::Handle::found($handle).await?;
                    Ok($crate::python::engine::operations::made!($how $made $request))
                };
                $crate::python::engine::runtime::wait(py, $crate::python::engine::runtime::request(request))
            }
        )*}

        #[pymethods]
        impl $awaitable {$(
            $(#[$meta])*
            // In Python, the arguments have names.
            #[allow(clippy::too_many_arguments)]
            fn $name(&self, $($argument: $type),*) -> PyResult<$crate::python::engine::coroutine::Coroutine> {
                let $handle: $handle_type = self.handle()?;
                let request = async move {
                    let $handle = $crate::python::engine::operations::Handle::found($handle).await?;
                    Ok($crate::python::engine::operations::made!($how $made_awaitable $request))
                };
                let name = concat!(stringify!($awaitable), ".", stringify!($name));
                Ok($crate::python::engine::runtime::awaitable(name, $crate::python::engine::runtime::request(request)))
            }
        )*}
    };
}

macro_rules! made {
    (one $made:ident $request:expr) => {
        $made::from($request?)
    };
    (each $made:ident $request:expr) => {
        $request?.into_iter().map($made::from).collect::<Vec<_>>()
    };
}

pub(crate) use {made, making, operations};
