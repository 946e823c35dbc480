//! The operations as methods of the handles. Plain reads come from the table of operations. Operations that need more than a request
//! and a response type are in one file per group of resources.

use tokio::task::JoinSet;

use super::project_parts::{DesignHandle, DiagramHandle, MemberHandle, SystemHandle, TeamHandle};
use super::{Client, Project, Result};
use geodesign::costs::CostFigures;
use geodesign::features::FeatureCollection;
// Rows name types of responses, including those that the next row adds.
#[allow(clippy::wildcard_imports)]
use geodesign::model::{operations::*, *};

pub mod chosen;
pub mod costs;
pub mod diagrams;
pub mod edits;
pub mod impacts;
mod land;
pub mod new_diagrams;
pub mod people;
mod preview;
mod projects;
pub mod quantities;
pub mod systems;
mod thumbnails;

macro_rules! methods {
    ($($class:ident {
        $($name:ident: $method:ident $path:literal ($ids:ident $(, $mark:ident)*) $summary:literal $read:tt)*
    })*) => {$(
        impl $class {
            $(method! { $name $ids $summary $read })*
        }

        $(method_of_handle! { $ids $summary $read })*
    )*};
}

macro_rules! method {
    ($name:ident $ids:ident $summary:literal ;) => {};
    ($name:ident $ids:ident $summary:literal {
        $($more:literal)? $(#$returns:tt)*
        $how:ident $method:ident $(as $short:ident)? $(in $side:ident)?
            ($($id:ident: $type:ty),* $(; $body:ident: $sent:ty, $about:literal)?)
            $(-> $returned:ty $(= $part:expr)?)?;
        $($raised:literal)* $(#$example:tt)*
    }) => {
        #[doc = $summary]
        pub async fn $method(&self, $($id: $type,)* $($body: &$sent)?) -> Result<returned!($($returned)?)> {
            self.$how($name.at(ids!(self $ids $($id)*)) $(, $body)?).await$($(.map($part))?)?
        }
    };
}

/// Makes the method of the handle that the path's ids belong to.
macro_rules! method_of_handle {
    ($ids:ident $summary:literal {
        $($more:literal)? $(#$returns:tt)*
        $how:ident $method:ident as $short:ident($($id:ident: $type:ty),* $(; $body:ident: $sent:ty, $about:literal)?)
            $(-> $returned:ty $(= $part:expr)?)?;
        $($raised:literal)* $(#$example:tt)*
    }) => {
        impl handle_of!($ids) {
            #[doc = $summary]
            pub async fn $short(&self $(, $body: &$sent)?) -> Result<returned!($($returned)?)> {
                below_handle!(self $ids $method $($body)?)
            }
        }
    };
    ($ids:ident $summary:literal $read:tt) => {};
}

macro_rules! handle_of {
    (InDiagram) => {
        DiagramHandle
    };
    (OfMember) => {
        MemberHandle
    };
    (InTeam) => {
        TeamHandle
    };
    (InDesign) => {
        DesignHandle
    };
    (InSystem) => {
        SystemHandle
    };
}

macro_rules! below_handle {
    ($handle:ident InDesign $method:ident) => {{
        let (team, design) = $handle.ids().await?;
        $handle.project().$method(team, design).await
    }};
    ($handle:ident $ids:ident $method:ident $($body:ident)?) => {
        $handle.project().$method($handle.id().await? $(, $body)?).await
    };
}

macro_rules! returned {
    () => {
        ()
    };
    ($returned:ty) => {
        $returned
    };
}

macro_rules! ids {
    ($client:ident NoIds) => { NoIds {} };
    ($client:ident OfUser $id:ident) => { OfUser::new($id.into()) };
    ($client:ident OfToken $id:ident) => { OfToken::new($id) };
    ($project:ident $ids:ident $($id:ident)*) => { $ids::new($project.id().clone() $(, $id.into())*) };
}

operations_table! { methods }

/// Receives the progress of a call that sends many requests.
pub trait Progress {
    /// Gives the number of requests, before the first one is sent.
    fn expect(&self, total: usize);
    /// Counts one more response.
    fn advance(&self);
}

impl Project {
    /// Sends a request for each id, concurrently, up to the client's `max_concurrency`. The responses are in the order of the ids. The
    /// first failure cancels the other requests. `progress` is called after each response.
    pub(crate) async fn for_each<I, T, F>(
        &self,
        ids: Vec<I>,
        request: impl Fn(Project, I) -> F,
        progress: impl Fn(),
    ) -> Result<Vec<T>>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let mut running = JoinSet::new();
        for (index, id) in ids.into_iter().enumerate() {
            let request = request(self.clone(), id);
            running.spawn(async move { (index, request.await) });
        }
        let mut responses: Vec<Option<T>> = (0..running.len()).map(|_| None).collect();
        while let Some(done) = running.join_next().await {
            let (index, response) = done?;
            responses[index] = Some(response?);
            progress();
        }
        Ok(responses.into_iter().flatten().collect())
    }
}
