//! One list of operations, two classes: a blocking method and an awaitable one under the same name, with the same arguments
//! and the same documentation.

/// `fn name(arguments) -> Answer = |handle| future;` for every operation. The classes provide the handle by `handle()`.
macro_rules! operations {
    ($blocking:ident / $awaitable:ident of $target:ty: $(
        $(#[$meta:meta])*
        fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $answer:ty = |$handle:ident| $request:expr;
    )*) => {
        /// What both send.
        struct Requests;

        impl Requests {$(
            // They have names in Python.
            #[allow(clippy::too_many_arguments)]
            fn $name($handle: $target, $($argument: $type),*) -> $crate::python::engine::runtime::Request<$answer> {
                Box::pin(async move { $request })
            }
        )*}

        #[pymethods]
        impl $blocking {$(
            $(#[$meta])*
            // They have names in Python.
            #[allow(clippy::too_many_arguments)]
            fn $name(&self, py: Python<'_>, $($argument: $type),*) -> PyResult<$answer> {
                let handle = self.handle()?;
                let on_this_machine = handle.is_on_this_machine();
                $crate::python::engine::runtime::wait(py, on_this_machine, Requests::$name(handle, $($argument),*))
            }
        )*}

        #[pymethods]
        impl $awaitable {$(
            $(#[$meta])*
            // They have names in Python.
            #[allow(clippy::too_many_arguments)]
            fn $name(&self, $($argument: $type),*) -> PyResult<$crate::python::engine::coroutine::Coroutine> {
                let name = concat!(stringify!($awaitable), ".", stringify!($name));
                Ok($crate::python::engine::runtime::awaitable(name, Requests::$name(self.handle()?, $($argument),*)))
            }
        )*}
    };
}

pub(crate) use operations;
