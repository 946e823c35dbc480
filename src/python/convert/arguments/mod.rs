//! What Python passes in, as the types of the model.

mod choices;
mod dates;
mod ids;
mod new_resources;
mod selections;
mod study_area;

pub use choices::{Choice, choice};
pub use dates::Lifetime;
pub use ids::{DiagramIds, Groups};
pub use new_resources::{Metadata, NewSystems, NewTags};
pub use selections::{cost_selection, selection_kind};
