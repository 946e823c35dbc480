//! CQL2 as text, such as `sysname = 'Water' AND area_ha > 2`.

use super::wkt;
use super::words::{Word, Words};
use super::{
    Comparison, Filter, FilterError, MAX_BYTES, MAX_DEPTH, Operand, Result, date, date_or_timestamp, timestamp,
};
use geodesign_geometry::Crs;

/// Reads a filter. Its geometries are in the reference system `crs`.
pub fn parse_text(text: &str, crs: Crs) -> Result<Filter> {
    if text.len() > MAX_BYTES {
        return Err(FilterError::TooLong);
    }
    let mut words = Words { text, at: 0, depth: 0, crs };
    let filter = words.any()?;
    match words.peek()? {
        Word::End => Ok(filter),
        word => Err(words.unexpected(&word, "AND, OR or the end")),
    }
}

impl Words<'_> {
    /// Reads filters separated by OR.
    fn any(&mut self) -> Result<Filter> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(FilterError::TooDeep);
        }
        let mut filters = vec![self.all()?];
        while self.take("OR")? {
            filters.push(self.all()?);
        }
        self.depth -= 1;
        Ok(if filters.len() == 1 { filters.remove(0) } else { Filter::Any(filters) })
    }

    fn all(&mut self) -> Result<Filter> {
        let mut filters = vec![self.negated()?];
        while self.take("AND")? {
            filters.push(self.negated()?);
        }
        Ok(if filters.len() == 1 { filters.remove(0) } else { Filter::All(filters) })
    }

    fn negated(&mut self) -> Result<Filter> {
        let mut negations = 0_usize;
        while self.take("NOT")? {
            negations += 1;
        }
        let filter = self.predicate()?;
        Ok(if negations % 2 == 1 { Filter::Not(Box::new(filter)) } else { filter })
    }

    fn predicate(&mut self) -> Result<Filter> {
        let at = self.at;
        if self.take_sign("(") {
            let filter = self.any()?;
            self.sign(")")?;
            return Ok(filter);
        }
        if self.take("S_INTERSECTS")? {
            return self.intersects();
        }
        self.at = at;
        let value = self.operand()?;
        let negated = self.take("NOT")?;
        let filter = if self.take("LIKE")? {
            Filter::Like { value, pattern: self.pattern()? }
        } else if self.take("BETWEEN")? {
            let low = self.operand()?;
            if !self.take("AND")? {
                let word = self.peek()?;
                return Err(self.unexpected(&word, "AND"));
            }
            Filter::Between { value, low, high: self.operand()? }
        } else if self.take("IN")? {
            let mut list = Vec::new();
            self.list(|words| {
                list.push(words.operand()?);
                Ok(())
            })?;
            Filter::In { value, list }
        } else if negated {
            let word = self.peek()?;
            return Err(self.unexpected(&word, "LIKE, BETWEEN or IN"));
        } else if self.take("IS")? {
            let negated = self.take("NOT")?;
            if !self.take("NULL")? {
                let word = self.peek()?;
                return Err(self.unexpected(&word, "NULL"));
            }
            let is_null = Filter::IsNull(value);
            return Ok(if negated { Filter::Not(Box::new(is_null)) } else { is_null });
        } else {
            let at = self.at;
            match self.next()? {
                Word::Sign(sign) if Comparison::of(sign).is_some() => {
                    let how = Comparison::of(sign).unwrap_or(Comparison::Equal);
                    Filter::Compare { left: value, how, right: self.operand()? }
                }
                word => {
                    self.at = at;
                    let is_truth = matches!(value, Operand::Boolean(_) | Operand::Property(_));
                    let ends = matches!(word, Word::End | Word::Sign(")"))
                        || matches!(&word, Word::Name(name) if ["AND", "OR"].iter().any(|end| name.eq_ignore_ascii_case(end)));
                    if !is_truth || !ends {
                        return Err(self.unexpected(&word, "a comparison"));
                    }
                    Filter::Is(value)
                }
            }
        };
        Ok(if negated { Filter::Not(Box::new(filter)) } else { filter })
    }

    /// Reads the pattern of LIKE. A `CASEI` around it is dropped: only a `CASEI` around the value counts.
    fn pattern(&mut self) -> Result<String> {
        match self.operand()? {
            Operand::Text(pattern) => Ok(pattern),
            Operand::CaseFolded(folded) => match *folded {
                Operand::Text(pattern) => Ok(pattern),
                _ => Err(FilterError::Argument("LIKE".to_owned(), "its pattern must be a text in single quotes")),
            },
            _ => Err(FilterError::Argument("LIKE".to_owned(), "its pattern must be a text in single quotes")),
        }
    }

    fn intersects(&mut self) -> Result<Filter> {
        self.sign("(")?;
        let crs = self.crs;
        let mut sides = Vec::new();
        for end in [",", ")"] {
            let is_quoted = matches!(self.peek()?, Word::Quoted(_));
            let name = self.name("a property or a geometry")?;
            let geometry = if is_quoted { None } else { wkt::geometry(self, &name, crs)? };
            sides.push(geometry.ok_or(name));
            self.sign(end)?;
        }
        match (sides.remove(0), sides.remove(0)) {
            (Err(property), Ok(geometry)) | (Ok(geometry), Err(property)) => {
                Ok(Filter::Intersects { property, geometry })
            }
            _ => Err(FilterError::Argument(
                "S_INTERSECTS".to_owned(),
                "one side must be a property, the other a geometry",
            )),
        }
    }

    fn operand(&mut self) -> Result<Operand> {
        let at = self.at;
        match self.next()? {
            Word::Text(text) => Ok(Operand::Text(text)),
            Word::Quoted(name) => Ok(Operand::Property(name)),
            Word::Number(number) => Ok(Operand::Number(number)),
            Word::Sign("-" | "+") => {
                self.at = at;
                self.number().map(Operand::Number)
            }
            Word::Name(name) => {
                let upper = name.to_ascii_uppercase();
                match upper.as_str() {
                    "TRUE" => Ok(Operand::Boolean(true)),
                    "FALSE" => Ok(Operand::Boolean(false)),
                    "DATE" | "TIMESTAMP" | "CASEI" if self.take_sign("(") => {
                        self.depth += 1;
                        if self.depth > MAX_DEPTH {
                            return Err(FilterError::TooDeep);
                        }
                        let operand = self.operand()?;
                        self.depth -= 1;
                        self.sign(")")?;
                        match (upper.as_str(), operand) {
                            ("CASEI", operand) => Ok(operand.case_folded()),
                            ("DATE", Operand::Text(text)) => date(&text),
                            (_, Operand::Text(text)) => timestamp(&text),
                            _ => Err(FilterError::Argument(upper, "a time must be a text in single quotes")),
                        }
                    }
                    // As older programs write them: DATE '2037-10-01'.
                    "DATE" | "TIMESTAMP" if matches!(self.peek()?, Word::Text(_)) => match self.next()? {
                        Word::Text(text) => date_or_timestamp(&text),
                        word => Err(self.unexpected(&word, "a time")),
                    },
                    "AND" | "OR" | "NOT" | "LIKE" | "BETWEEN" | "IN" | "IS" | "NULL" => {
                        self.at = at;
                        Err(self.problem(&name, "a property or a value"))
                    }
                    _ if self.take_sign("(") => Err(FilterError::Operator(name)),
                    _ => Ok(Operand::Property(name)),
                }
            }
            word => Err(self.unexpected(&word, "a property or a value")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Filter {
        parse_text(text, Crs::Crs84).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn property(name: &str) -> Operand {
        Operand::Property(name.to_owned())
    }

    #[test]
    fn and_binds_closer_than_or() {
        let compare =
            |name: &str| Filter::Compare { left: property(name), how: Comparison::Equal, right: Operand::Number(1.0) };
        let expected =
            Filter::Any(vec![compare("a"), Filter::All(vec![compare("b"), Filter::Not(Box::new(compare("c")))])]);
        assert_eq!(parsed("a = 1 OR b=1 and NOT c = 1"), expected);
        assert_eq!(parsed("(a = 1) OR (b=1 AND (NOT (c = 1)))"), expected);
    }

    #[test]
    fn every_kind_of_predicate_is_read() {
        for text in [
            "description LIKE 'Rain%' AND sysname NOT LIKE '%it''s_'",
            "area BETWEEN -1.5e3 AND 20",
            "rank NOT BETWEEN 1 AND 2 OR sysid IN (1, 2, 3)",
            "notes IS NULL OR notes IS NOT NULL",
            "start_date >= DATE('2037-10-01') AND created_at < TIMESTAMP('2026-03-02T11:48:51Z')",
            "start_date > DATE '2037-10-01'",
            "CASEI(description) LIKE CASEI('rain%')",
            "S_INTERSECTS(geometry, POLYGON((0 0, 1 0, 1 1, 0 0)))",
            "S_INTERSECTS(BBOX(-75, 40, -74, 41), \"geometry\")",
            "S_INTERSECTS(geometry, GEOMETRYCOLLECTION(POINT(1 2), MULTIPOINT((1 2), (3 4)), LINESTRING(0 0, 1 1)))",
            "S_INTERSECTS(geometry, MULTIPOLYGON(((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 6, 5 5))))",
            "TRUE AND \"undated\"",
        ] {
            parsed(text);
        }
    }

    #[test]
    fn a_mistake_is_named_with_its_place() {
        for (text, told) in [
            ("", "the filter ends where a property or a value is expected"),
            ("area >", "the filter ends where a property or a value is expected"),
            ("area 5", "\"5\" at character 5 of the filter, where a comparison is expected"),
            ("area = 5 sysid = 3", "\"sysid\" at character 9 of the filter, where AND, OR or the end is expected"),
            ("buffer(area) = 3", "\"buffer\" is not an operator"),
            ("name = 'open", "where a closing quote is expected"),
            ("start_date = DATE('2037-13-01')", "\"2037-13-01\" is not a date"),
            ("S_INTERSECTS(geometry, geometry)", "one side must be a property, the other a geometry"),
            ("a = ;", "\";\" at character 5"),
            ("area", "the filter ends"),
        ] {
            match parse_text(text, Crs::Crs84) {
                Err(error) => assert!(error.to_string().contains(told), "{text}: {error}"),
                // A property alone may be true or false: its type decides.
                Ok(filter) => assert_eq!(filter, Filter::Is(property("area"))),
            }
        }
        let deep = "(".repeat(1_000) + "a = 1" + &")".repeat(1_000);
        assert_eq!(parse_text(&deep, Crs::Crs84), Err(FilterError::TooDeep));
        let folded = "CASEI(".repeat(5_000) + "a" + &")".repeat(5_000) + " = 'b'";
        assert_eq!(parse_text(&folded, Crs::Crs84), Err(FilterError::TooDeep));
    }
}
