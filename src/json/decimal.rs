//! The nearest float of a decimal fraction, by a multiplication or two.

/// As many digits surely fit into 64 bits.
pub const MOST_DIGITS: usize = 19;

/// 1 / 5^n, rounded up: the highest 128 bits.
#[derive(Clone, Copy)]
struct Reciprocal {
    upper: u64,
    lower: u64,
    /// Of the product with a number of 64 bits, as [`OF_64_BITS`] is.
    exponent: u64,
}

/// The exponent of 2^63 as floats have it, less the one that their highest bit adds.
const OF_64_BITS: u64 = 1023 + 63 - 1;

const RECIPROCALS: [Reciprocal; MOST_DIGITS + 1] = reciprocals();

const fn reciprocals() -> [Reciprocal; MOST_DIGITS + 1] {
    let mut all = [Reciprocal { upper: 1 << 63, lower: 0, exponent: OF_64_BITS }; MOST_DIGITS + 1];
    let (mut power, mut n) = (1_u64, 1);
    while n < all.len() {
        power *= 5;
        // Long division of a power of two, bit by bit, beginning with the greatest below the divisor.
        let length = u64::BITS - power.leading_zeros();
        let (mut quotient, mut rest, mut bit) = (0_u128, 1_u64 << (length - 1), 0);
        while bit < u128::BITS {
            rest *= 2;
            quotient *= 2;
            if rest >= power {
                rest -= power;
                quotient += 1;
            }
            bit += 1;
        }
        quotient += 1;
        let (upper, lower) = ((quotient >> 64) as u64, quotient as u64);
        all[n] = Reciprocal { upper, lower, exponent: OF_64_BITS - length as u64 - n as u64 };
        n += 1;
    }
    all
}

/// The float nearest to `digits` / 10^`decimals`; of two that are as near, the even one.
///
/// It is the way of Lemire ("Number parsing at a gigabyte per second", 2021), which leaves nothing undecided for so few
/// decimals: 128 bits of the reciprocal tell apart all quotients of 64 bits by such a power of five.
#[inline]
pub fn nearest(digits: u64, decimals: usize) -> f64 {
    if digits == 0 {
        return 0.0;
    }
    let Reciprocal { upper, lower, exponent } = RECIPROCALS[decimals];
    let shift = digits.leading_zeros();
    let digits = u128::from(digits << shift);
    let mut product = digits * u128::from(upper);
    // What the lower half adds to this is less than one in the upper half. It counts only where that carries on.
    if (product >> 64) & 0x1FF == 0x1FF {
        product += (digits * u128::from(lower)) >> 64;
    }
    let (upper, lower) = ((product >> 64) as u64, product as u64);
    // 54 bits: those of a float, and one to round by.
    let highest = upper >> 63;
    let unused = highest + 9;
    let mut mantissa = upper >> unused;
    // Half way between two floats are quotients by the smallest powers only; the lower of the two is even here.
    if lower <= 1 && decimals <= 4 && mantissa & 3 == 1 && mantissa << unused == upper {
        mantissa -= 1;
    }
    let mantissa = (mantissa + (mantissa & 1)) >> 1;
    let exponent = exponent + highest - u64::from(shift);
    // The highest bit of the mantissa, which floats leave out, adds one to the exponent, two where it was rounded up to the next.
    f64::from_bits((exponent << (f64::MANTISSA_DIGITS - 1)) + mantissa)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_nearest(digits: u64, decimals: usize) {
        let expected: f64 = format!("{digits}e-{decimals}").parse().unwrap();
        assert_eq!(nearest(digits, decimals).to_bits(), expected.to_bits(), "{digits}e-{decimals}");
    }

    #[test]
    fn it_is_right_where_digits_and_powers_are_at_their_limits() {
        let powers_of_two = (0..64).map(|bit| 1_u64 << bit);
        let powers_of_ten = (0..=MOST_DIGITS).map(|zeros| 10_u64.pow(zeros as u32));
        let around =
            powers_of_two.chain(powers_of_ten).flat_map(|power| power.saturating_sub(2)..=power.saturating_add(2));
        for digits in around.chain([0, u64::MAX]) {
            (0..=MOST_DIGITS).for_each(|decimals| is_nearest(digits, decimals));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn it_is_what_the_standard_library_reads(digits: u64, drop in 0..64, decimals in 0..=MOST_DIGITS) {
            is_nearest(digits >> drop, decimals);
        }

        /// By a power of two, the middle between two floats that are neighbours.
        #[test]
        fn of_two_that_are_as_near_it_is_the_even_one(float in 1_u64 << 52..1 << 53, decimals in 0..=4_usize) {
            let digits = (2 * float + 1) * 5_u64.pow(decimals as u32);
            (digits - 1..=digits + 1).for_each(|digits| is_nearest(digits, decimals));
        }
    }
}
