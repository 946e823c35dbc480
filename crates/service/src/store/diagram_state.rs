//! The state of a diagram, as the history and merging keep it.

use rusqlite::ToSql;
use serde::{Deserialize, Serialize};

use super::database::columns::columns;
use super::database::error::Result;
use super::database::transaction::{Reader, Writer};
use super::database::values::{ProjectKey, extent_in, to_json};
use super::feature_row::FeatureRow;
use geodesign::model::{
    CostType, Diagram, DiagramEdit, DiagramId, DiagramKind, DrawnFeatures, FeatureType, FundingType, VolumeInformation,
};
use geodesign_geometry::Measure;

macro_rules! diagram_state {
    ($($(#[$doc:meta])* $field:ident: $type:ty = $column:literal, $part:literal, $name:literal;)*) => {
        /// Values of a diagram, as stored in the database; `None` for one that is left out.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
        pub struct DiagramState {
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub removed: Option<bool>,
            $(
                $(#[$doc])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $field: Option<$type>,
            )*
            /// The ids of its tags, sorted.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub tags: Option<Vec<String>>,
            /// The features, if they were changed.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub drawing: Option<Drawing>,
        }

        impl DiagramState {
            /// The parts in which a diagram is merged, along with its tags and its geometry, once for each column.
            pub const PARTS: &[&str] = &[$($part),*];

            /// Sets the columns of a state; `:field` is each of its values.
            const SET: &str = concat!("UPDATE all_diagrams SET ", $($column, " = coalesce(:", stringify!($field), ", ", $column, "), ",)*);

            /// Returns the values that differ in `other`.
            pub fn differing_from(&self, other: &DiagramState) -> DiagramState {
                DiagramState {
                    removed: self.removed.filter(|_| self.removed != other.removed),
                    $($field: self.$field.clone().filter(|_| self.$field != other.$field),)*
                    tags: self.tags.clone().filter(|_| self.tags != other.tags),
                    drawing: self.drawing.clone().filter(|_| self.drawing != other.drawing),
                }
            }

            /// Takes the columns of a part from another state.
            pub fn take_part(&mut self, part: &str, other: &DiagramState) {
                $(if part == $part {
                    self.$field.clone_from(&other.$field);
                })*
            }

            /// Returns the columns of a part as texts.
            pub fn part<'s>(&'s self, part: &'s str) -> impl Iterator<Item = String> + 's {
                let values = [$(($part, self.$field.as_ref().map(ToString::to_string))),*];
                values.into_iter().filter(move |(name, _)| *name == part).filter_map(|(_, value)| value)
            }

            /// Returns the columns shown to people, as `name: value`.
            pub fn told(&self) -> impl Iterator<Item = String> {
                let values = [$(($name, self.$field.as_ref().map(ToString::to_string))),*];
                values.into_iter().filter(|(name, _)| !name.is_empty()).filter_map(|(name, value)| Some(format!("{name}: {}", value?)))
            }
        }

        impl Reader<'_> {
            /// Returns the state of a diagram, which may have been removed; empty if the project has no such diagram.
            pub(super) fn diagram_state(&self, project: ProjectKey, id: DiagramId) -> Result<DiagramState> {
                let tags = "SELECT tag FROM diagram_tags WHERE diagram = ?1 ORDER BY tag";
                let columns = columns!(DiagramState {
                    removed: "removed_by IS NOT NULL",
                    $($field: { reading($column) },)*
                    tags: (Some(self.values(tags, [id.0])?)),
                    ..
                });
                let state = self.select_one(columns, "FROM all_diagrams WHERE project = ?1 AND id = ?2", [project.0, id.0])?;
                Ok(state.unwrap_or_default())
            }
        }

        impl Writer<'_> {
            /// Sets the values of a state. Belongs in [`Writer::change_diagram`], which records it.
            pub fn set_diagram_state(&self, id: DiagramId, state: &DiagramState) -> Result<()> {
                let sql = format!("{}{SET_REMOVED} WHERE id = :id", DiagramState::SET);
                let values: &[(&str, &dyn ToSql)] = &[
                    (":id", &id.0),
                    (":removed", &state.removed),
                    $((concat!(":", stringify!($field)), &state.$field),)*
                ];
                self.run(&sql, values)?;
                state.drawing.as_ref().map_or(Ok(()), |drawing| self.replace_drawing(id, drawing))?;
                state.tags.as_ref().map_or(Ok(()), |tags| self.replace_diagram_tags(id, tags))
            }
        }
    };
}

// Each column of a diagram that may change, once. The texts after it are the column, the part that merging takes or leaves, and the name
// that people are shown, if they are.
diagram_state! {
    title: String = "description", "title", "title";
    notes: String = "notes", "notes", "notes";
    start_date: String = "start_date", "dates", "start_date";
    end_date: String = "end_date", "dates", "end_date";
    /// True if the diagram is undated.
    undated: bool = "undated", "dates", "";
    additional_metadata: String = "additional_metadata", "metadata", "additional_metadata";
    cost_override: f64 = "cost_override", "cost", "cost_override";
    cost_override_type: String = "cost_override_type", "cost", "cost_override_type";
    building_data: String = "building_data", "building_data", "building_data";
    system: i64 = "system", "system", "system";
    rank: i64 = "rank", "system", "";
    grid_location: String = "grid_location", "system", "grid_location";
    /// `project` or `policy`
    kind: String = "type", "type", "type";
    fundingtype: String = "fundingtype", "fundingtype", "fundingtype";
}

/// Marks a removed diagram with the number of the history's next entry, which removes it.
const SET_REMOVED: &str = "removed_by = CASE :removed WHEN TRUE THEN coalesce(removed_by, (SELECT coalesce(max(number), 0) + 1 \
                           FROM history WHERE history.project = all_diagrams.project)) WHEN FALSE THEN NULL ELSE removed_by END";

/// Returns the SQL that reads a column.
fn reading(column: &'static str) -> &'static str {
    match column {
        "undated" => "coalesce(undated, start_date = end_date AND start_date = substr(created_at, 1, 10), FALSE)",
        column => column,
    }
}

impl DiagramState {
    /// Returns the changes in an edit of a diagram, except its days and its system.
    pub fn edited(edit: &DiagramEdit) -> Result<Self> {
        Ok(DiagramState {
            title: edit.title.clone(),
            kind: edit.kind.map(DiagramKind::name).map(str::to_owned),
            fundingtype: edit.fundingtype.map(FundingType::name).map(str::to_owned),
            cost_override: edit.cost,
            cost_override_type: edit.cost_type.map(CostType::override_name).map(str::to_owned),
            building_data: edit.building_data.as_ref().map(to_json).transpose()?,
            drawing: edit.geometry.as_ref().map(Drawing::of),
            ..DiagramState::default()
        })
    }

    /// Returns an archive's values of a diagram that are not in its row.
    pub fn loaded<O>(diagram: &Diagram<O>) -> Self {
        DiagramState {
            notes: diagram.notes.clone(),
            cost_override: diagram.cost_override,
            cost_override_type: diagram.cost_override_type.clone(),
            fundingtype: diagram.fundingtype.clone(),
            ..DiagramState::default()
        }
    }
}

/// The features of a diagram, with their total size and their type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Drawing {
    /// m²
    pub area: f64,
    /// km
    pub length: f64,
    pub featuretype: String,
    pub features: Vec<DrawnFeature>,
}

impl Drawing {
    pub fn of(geometry: &DrawnFeatures) -> Self {
        let measure = geometry.measure();
        let area = measure.square_metres;
        let feature_type = geometry.feature_type().unwrap_or(FeatureType::Polygon);
        let features = geometry.features.iter().map(|feature| {
            let volume = feature.properties.as_ref().and_then(|properties| properties.volume_information);
            let volume = volume.unwrap_or_default();
            let FeatureRow { heights, geometry, measure, extent, .. } = FeatureRow::drawn(volume, &feature.geometry);
            DrawnFeature {
                min_height: heights.min_height,
                max_height: heights.max_height,
                geometry: geometry.to_owned(),
                square_metres: measure.map(|own| own.square_metres),
                metres: measure.map(|own| own.metres),
                extent,
                extra: None,
            }
        });
        Drawing {
            area,
            // A diagram has an area or a length, never both.
            length: if area > 0.0 { 0.0 } else { measure.kilometres() },
            featuretype: feature_type.name().to_owned(),
            features: features.collect(),
        }
    }
}

/// A feature as stored in the database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DrawnFeature {
    pub min_height: f64,
    pub max_height: f64,
    /// GeoJSON
    pub geometry: String,
    /// Its measure if it is reliable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub square_metres: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metres: Option<f64>,
    /// West, south, east and north, if the geometry was read to draw it. The history does not keep it.
    #[serde(skip)]
    pub extent: Option<[f64; 4]>,
    /// Properties that this service does not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<String>,
}

impl DrawnFeature {
    pub fn row(&self) -> FeatureRow<'_> {
        let DrawnFeature { min_height, max_height, geometry, square_metres, metres, extent, extra } = self;
        FeatureRow {
            heights: VolumeInformation { min_height: *min_height, max_height: *max_height },
            geometry,
            measure: square_metres.zip(*metres).map(|(square_metres, metres)| Measure {
                square_metres,
                metres,
                pieces: 0,
            }),
            extent: extent.or_else(|| extent_in(geometry)),
            extra: extra.as_deref(),
        }
    }
}
