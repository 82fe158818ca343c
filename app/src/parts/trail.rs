//! The way back through a list. A page knows where the next one starts; where the ones before it
//! started travels in the address, so that "Previous" needs no script and no memory on the server.

use percent_encoding::percent_decode_str;

use crate::links;

/// Steps back that an address holds. Farther back there is "First".
const MOST: usize = 16;
/// Stands for the first page, which has no marker; no encoded marker holds this character.
const FIRST: &str = "*";

/// Where the pages before this one started, the first page first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trail(Vec<Option<String>>);

impl Trail {
    /// From its form in an address. What cannot be read is left out: a step less, never an error.
    pub fn parse(text: &str) -> Self {
        let steps: Vec<_> = text
            .split(',')
            .filter(|step| !step.is_empty())
            .filter_map(|step| match step {
                FIRST => Some(None),
                marker => percent_decode_str(marker).decode_utf8().ok().map(|text| Some(text.into_owned())),
            })
            .collect();
        Self(steps[steps.len().saturating_sub(MOST)..].to_vec())
    }

    /// As an address holds it; empty when nothing is known of the pages before.
    pub fn encode(&self) -> String {
        let step = |step: &Option<String>| step.as_deref().map_or_else(|| FIRST.to_owned(), links::encode);
        self.0.iter().map(step).collect::<Vec<_>>().join(",")
    }

    /// The trail of the page that follows one that started at `here`.
    #[must_use]
    pub fn onward(&self, here: Option<&str>) -> Self {
        let mut steps = self.0.clone();
        steps.push(here.map(str::to_owned));
        let drop = steps.len().saturating_sub(MOST);
        Self(steps.split_off(drop))
    }

    /// Where the page before started, and its own trail; none when that is not known.
    pub fn back(&self) -> Option<(Option<&str>, Self)> {
        let (last, rest) = self.0.split_last()?;
        Some((last.as_deref(), Self(rest.to_vec())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trail_leads_back_the_way_one_came() {
        let second = Trail::default().onward(None);
        let third = second.onward(Some("a,b*c"));
        assert_eq!(Trail::parse(&third.encode()), third);
        let (at, before) = third.back().unwrap();
        assert_eq!((at, &before), (Some("a,b*c"), &second));
        assert_eq!(before.back().unwrap(), (None, Trail::default()));
        assert_eq!(Trail::default().back(), None);
        assert_eq!(Trail::default().encode(), "");
    }

    #[test]
    fn an_address_stays_short_and_nonsense_is_dropped() {
        let far = (0..100).fold(Trail::default(), |trail, step| trail.onward(Some(&step.to_string())));
        assert_eq!(far.0.len(), MOST);
        assert_eq!(far.back().unwrap().0, Some("99"));
        assert_eq!(Trail::parse("%FF,,x").0, [Some("x".to_owned())]);
        assert_eq!(Trail::parse(&"x,".repeat(1000)).0.len(), MOST);
    }
}
