//! Numbers as people read them, the same on the server and in the browser.

/// A whole number with thousands separated: `1,204,551`.
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_separated() {
        assert_eq!([0, 999, 1000, 1_204_551].map(grouped), ["0", "999", "1,000", "1,204,551"]);
    }
}
