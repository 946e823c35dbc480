//! One list of operations for two classes: each operation becomes a blocking method of one and an awaitable method of the other,
//! with the same name, arguments and documentation.

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
                    $crate::python::engine::runtime::request::<$response>(async move { $request })
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
                let request = async move { Ok($crate::python::engine::operations::made!($how $made $request)) };
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
                let request = async move { Ok($crate::python::engine::operations::made!($how $made_awaitable $request)) };
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
