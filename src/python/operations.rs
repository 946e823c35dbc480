//! One list of operations, two classes: a blocking method and an awaitable one under the same name, with the same arguments
//! and the same documentation.

/// `fn name(arguments) -> Answer = |handle| future;` for every operation. The class provides `handle()`.
macro_rules! operations {
    ($blocking:ident / $awaitable:ident: $(
        $(#[$meta:meta])*
        fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $answer:ty = |$handle:ident| $request:expr;
    )*) => {
        #[pymethods]
        impl $blocking {$(
            $(#[$meta])*
            // They have names in Python.
            #[allow(clippy::too_many_arguments)]
            fn $name(&self, py: Python<'_>, $($argument: $type),*) -> PyResult<$answer> {
                let $handle = self.handle()?;
                let on_this_machine = $handle.is_on_this_machine();
                let request = async move { let answer: PyResult<$answer> = $request; answer };
                $crate::python::runtime::wait(py, on_this_machine, request)
            }
        )*}

        #[pymethods]
        impl $awaitable {$(
            $(#[$meta])*
            // They have names in Python.
            #[allow(clippy::too_many_arguments)]
            fn $name(&self, $($argument: $type),*) -> PyResult<$crate::python::awaitable::Awaitable> {
                let $handle = self.handle()?;
                let name = concat!(stringify!($awaitable), ".", stringify!($name));
                let request = async move { let answer: PyResult<$answer> = $request; answer };
                Ok($crate::python::runtime::awaitable(name, request))
            }
        )*}
    };
}

pub(super) use operations;
