//! CQL2 as JSON, such as `{"op": "=", "args": [{"property": "sysname"}, "Water"]}`.

use serde::de::DeserializeSeed;
use serde_json::Value;

use super::{Comparison, Filter, FilterError, MAX_BYTES, MAX_DEPTH, Operand, Result, date, rectangle, timestamp};
use geodesign_geometry::{Crs, Geometry, GeometrySeed};

/// Reads a filter. Its geometries are in the reference system `crs`.
pub fn parse_json(text: &str, crs: Crs) -> Result<Filter> {
    if text.len() > MAX_BYTES {
        return Err(FilterError::TooLong);
    }
    let value: Value = serde_json::from_str(text).map_err(|error| FilterError::Json(error.to_string()))?;
    filter(&value, crs, 0)
}

fn filter(value: &Value, crs: Crs, depth: usize) -> Result<Filter> {
    if depth > MAX_DEPTH {
        return Err(FilterError::TooDeep);
    }
    let Some(op) = value.get("op").and_then(Value::as_str) else {
        return match operand(value)? {
            truth @ (Operand::Boolean(_) | Operand::Property(_)) => Ok(Filter::Is(truth)),
            _ => Err(FilterError::Argument(value.to_string(), "an object with op and args is expected")),
        };
    };
    let args = value.get("args").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let filters = || args.iter().map(|arg| filter(arg, crs, depth + 1)).collect::<Result<Vec<_>>>();
    match (op, args) {
        ("and", [_, ..]) => Ok(Filter::All(filters()?)),
        ("or", [_, ..]) => Ok(Filter::Any(filters()?)),
        ("not", [negated]) => Ok(Filter::Not(Box::new(filter(negated, crs, depth + 1)?))),
        ("isNull", [value]) => Ok(Filter::IsNull(operand(value)?)),
        ("like", [value, pattern]) => match operand(pattern)? {
            Operand::Text(pattern) => Ok(Filter::Like { value: operand(value)?, pattern }),
            Operand::CaseFolded(folded) => match *folded {
                Operand::Text(pattern) => Ok(Filter::Like { value: operand(value)?, pattern }),
                _ => Err(FilterError::Argument(op.to_owned(), "its pattern must be a text")),
            },
            _ => Err(FilterError::Argument(op.to_owned(), "its pattern must be a text")),
        },
        ("between", [value, low, high]) => {
            Ok(Filter::Between { value: operand(value)?, low: operand(low)?, high: operand(high)? })
        }
        ("in", [value, Value::Array(list)]) => {
            Ok(Filter::In { value: operand(value)?, list: list.iter().map(operand).collect::<Result<_>>()? })
        }
        ("s_intersects", [left, right]) => intersects(left, right, crs),
        (sign, [left, right]) if Comparison::of(sign).is_some() => {
            let how = Comparison::of(sign).unwrap_or(Comparison::Equal);
            Ok(Filter::Compare { left: operand(left)?, how, right: operand(right)? })
        }
        ("and" | "or" | "not" | "isNull" | "like" | "between" | "in" | "s_intersects", _) => {
            Err(FilterError::Argument(op.to_owned(), "it has the wrong number of args"))
        }
        (sign, _) if Comparison::of(sign).is_some() => {
            Err(FilterError::Argument(op.to_owned(), "it must have two args"))
        }
        _ => Err(FilterError::Operator(op.to_owned())),
    }
}

fn operand(value: &Value) -> Result<Operand> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    match value {
        Value::String(text) => Ok(Operand::Text(text.clone())),
        Value::Bool(truth) => Ok(Operand::Boolean(*truth)),
        Value::Number(number) => Ok(Operand::Number(number.as_f64().unwrap_or(f64::NAN))),
        _ if value.get("op").and_then(Value::as_str) == Some("casei") => {
            match value.get("args").and_then(Value::as_array).map(Vec::as_slice) {
                Some([folded]) => Ok(operand(folded)?.case_folded()),
                _ => Err(FilterError::Argument("casei".to_owned(), "it must have one arg")),
            }
        }
        _ => match (text("property"), text("date"), text("timestamp"), value.get("op")) {
            (Some(name), ..) => Ok(Operand::Property(name.to_owned())),
            (_, Some(day), ..) => date(day),
            (_, _, Some(moment), _) => timestamp(moment),
            (_, _, _, Some(Value::String(op))) => Err(FilterError::Operator(op.clone())),
            _ => Err(FilterError::Argument(value.to_string(), "a property or a value is expected")),
        },
    }
}

fn intersects(left: &Value, right: &Value, crs: Crs) -> Result<Filter> {
    let property = |value: &Value| value.get("property").and_then(Value::as_str).map(str::to_owned);
    match (property(left), property(right)) {
        (Some(property), None) => Ok(Filter::Intersects { property, geometry: geometry(right, crs)? }),
        (None, Some(property)) => Ok(Filter::Intersects { property, geometry: geometry(left, crs)? }),
        _ => Err(FilterError::Argument("s_intersects".to_owned(), "one side must be a property, the other a geometry")),
    }
}

fn geometry(value: &Value, crs: Crs) -> Result<Geometry> {
    if let Some(corners) = value.get("bbox").and_then(Value::as_array) {
        let numbers: Vec<f64> = corners.iter().filter_map(Value::as_f64).collect();
        return match *numbers.as_slice() {
            [west, south, east, north] | [west, south, _, east, north, _] => {
                Ok(rectangle(crs, [west, south, east, north]))
            }
            _ => Err(FilterError::Geometry("a bbox must have four numbers".to_owned())),
        };
    }
    let read = GeometrySeed.deserialize(value).map_err(|error| FilterError::Geometry(error.to_string()))?;
    let geometry = read.ok_or_else(|| FilterError::Geometry("it is null".to_owned()))?;
    Ok(if crs == Crs::Crs84 { geometry } else { geometry.map_positions(&|position| crs.unproject(position)) })
}

#[cfg(test)]
mod tests {
    use super::super::parse_text;
    use super::*;

    #[test]
    fn json_says_the_same_as_text() {
        for (json, text) in [
            (r#"{"op":"=","args":[{"property":"sysname"},"Water"]}"#, "sysname = 'Water'"),
            (
                r#"{"op":"and","args":[{"op":">","args":[{"property":"area"},2]},{"op":"not","args":[{"op":"isNull","args":[{"property":"notes"}]}]}]}"#,
                "area > 2 AND notes IS NOT NULL",
            ),
            (r#"{"op":"in","args":[{"property":"sysid"},[1,2]]}"#, "sysid IN (1, 2)"),
            (r#"{"op":"between","args":[{"property":"area"},1,2]}"#, "area BETWEEN 1 AND 2"),
            (
                r#"{"op":"like","args":[{"op":"casei","args":[{"property":"description"}]},{"op":"casei","args":["rain%"]}]}"#,
                "CASEI(description) LIKE CASEI('rain%')",
            ),
            (
                r#"{"op":"<","args":[{"property":"start_date"},{"date":"2037-10-01"}]}"#,
                "start_date < DATE('2037-10-01')",
            ),
            (
                r#"{"op":"s_intersects","args":[{"property":"geometry"},{"type":"Point","coordinates":[1,2]}]}"#,
                "S_INTERSECTS(geometry, POINT(1 2))",
            ),
            (
                r#"{"op":"s_intersects","args":[{"property":"geometry"},{"bbox":[1,2,3,4]}]}"#,
                "S_INTERSECTS(geometry, BBOX(1, 2, 3, 4))",
            ),
            (r#"{"op":"or","args":[true,{"property":"undated"}]}"#, "TRUE OR undated"),
        ] {
            assert_eq!(parse_json(json, Crs::Crs84).unwrap(), parse_text(text, Crs::Crs84).unwrap(), "{json}");
        }
    }

    #[test]
    fn a_mistake_is_named() {
        for (json, told) in [
            ("{", "the filter is not JSON"),
            (r#"{"op":"a_overlaps","args":[1,2]}"#, "\"a_overlaps\" is not an operator"),
            (r#"{"op":"=","args":[1]}"#, "= in the filter: it must have two args"),
            (r#"{"op":"in","args":[{"property":"a"},1]}"#, "in in the filter: it has the wrong number of args"),
            ("3", "an object with op and args is expected"),
            (r#"{"op":"s_intersects","args":[{"property":"g"},{"type":"Sphere"}]}"#, "a geometry in the filter"),
        ] {
            let error = parse_json(json, Crs::Crs84).unwrap_err().to_string();
            assert!(error.contains(told), "{json}: {error}");
        }
    }
}
