// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

//! The product of optimal ate pairings on bn254 and its comparison with one, on arkworks' field
//! towers. Two things make it faster than the generic pairing: all pairs share each squaring
//! without storing line coefficients, and the Miller loop itself proves that its G2 point is in the
//! subgroup, a check that otherwise takes a third of the time.

use ark_bn254::{Config, Fq12, Fq2, G1Affine, G2Affine};
use ark_ec::bn::BnConfig;
use ark_ff::{AdditiveGroup, CyclotomicMultSubgroup, Field, MontFp, One, Zero};

use crate::Invalid;

/// Three times the constant of the twist, 9 / (9 + u).
const THREE_B: Fq2 = Fq2::new(
    MontFp!("14681138511599513868579906292550611339979233093309515871315818100066920017953"),
    MontFp!("800789373359973483740722161411851527635230895998700865708135532730922910070"),
);

/// A point of the twist in homogeneous projective coordinates, (X/Z, Y/Z).
struct Homogeneous {
    x: Fq2,
    y: Fq2,
    z: Fq2,
}

/// A line: coefficients of the evaluation point's y and x, and the constant.
type Line = (Fq2, Fq2, Fq2);

impl Homogeneous {
    /// Doubles the point; the result is the tangent. (Costello, Lange, Naehrig; all coordinates
    /// scaled by four, so that nothing is halved.)
    fn double(&mut self) -> Line {
        let product = self.x * self.y;
        let y_squared = self.y.square();
        let z_squared = self.z.square();
        let x_squared = self.x.square();
        let e = THREE_B * z_squared;
        let f = e.double() + e;
        let two_y_z = (self.y + self.z).square() - (y_squared + z_squared);
        let e_squared = e.square();
        let three_e_squared = e_squared.double() + e_squared;

        self.x = (product * (y_squared - f)).double();
        self.y = (y_squared + f).square() - three_e_squared.double().double();
        self.z = (y_squared * two_y_z).double().double();
        (-two_y_z, x_squared.double() + x_squared, e - y_squared)
    }

    /// Adds (qx, qy); the result is the line through both points.
    fn add(&mut self, qx: &Fq2, qy: &Fq2) -> Line {
        let theta = self.y - *qy * self.z;
        let lambda = self.x - *qx * self.z;
        let lambda_squared = lambda.square();
        let lambda_cubed = lambda * lambda_squared;
        let g = self.x * lambda_squared;
        let h = lambda_cubed + self.z * theta.square() - g.double();

        self.x = lambda * h;
        self.y = theta * (g - h) - lambda_cubed * self.y;
        self.z *= lambda_cubed;
        (lambda, -theta, theta * qx - lambda * qy)
    }

    fn equals_affine(&self, x: &Fq2, y: &Fq2) -> bool {
        !self.z.is_zero() && self.x == *x * self.z && self.y == *y * self.z
    }
}

/// ψ, the twisted Frobenius endomorphism.
fn psi(x: &Fq2, y: &Fq2) -> (Fq2, Fq2) {
    let (mut x, mut y) = (*x, *y);
    x.conjugate_in_place();
    y.conjugate_in_place();
    (x * Config::TWIST_MUL_BY_Q_X, y * Config::TWIST_MUL_BY_Q_Y)
}

/// One pair on its way through the loop.
struct Track {
    p: G1Affine,
    q: G2Affine,
    negated_y: Fq2,
    t: Homogeneous,
}

impl Track {
    fn new(p: G1Affine, q: G2Affine) -> Self {
        let t = Homogeneous { x: q.x, y: q.y, z: Fq2::one() };
        Track { p, q, negated_y: -q.y, t }
    }

    fn multiply_by_line(&self, f: &mut Fq12, mut line: Line) {
        line.0.mul_assign_by_fp(&self.p.y);
        line.1.mul_assign_by_fp(&self.p.x);
        f.mul_by_034(&line.0, &line.1, &line.2);
    }

    fn double_step(&mut self, f: &mut Fq12) {
        let line = self.t.double();
        self.multiply_by_line(f, line);
    }

    fn add_step(&mut self, f: &mut Fq12, negative: bool) {
        let y = if negative { &self.negated_y } else { &self.q.y };
        let line = self.t.add(&self.q.x, y);
        self.multiply_by_line(f, line);
    }

    /// The two last lines, after which t is [6x + 2]Q + ψ(Q) - ψ²(Q).
    ///
    /// Refuses Q outside the subgroup. There, and only there, that sum plus ψ³(Q) is zero: with
    /// N the norm of 6x + 2 + ψ - ψ² + ψ³ in Z[ψ] (ψ² - tψ + p = 0), the sum being zero implies
    /// N Q = 0, and of the order of the twist only r divides N. A step that meets one of the
    /// addition's exceptional cases leaves z at zero for good, which is refused as well.
    fn finish(&mut self, f: &mut Fq12) -> Result<(), Invalid> {
        let (x1, y1) = psi(&self.q.x, &self.q.y);
        let (x2, y2) = psi(&x1, &y1);
        let (x3, y3) = psi(&x2, &y2);
        let line = self.t.add(&x1, &y1);
        self.multiply_by_line(f, line);
        let line = self.t.add(&x2, &-y2);
        self.multiply_by_line(f, line);
        self.t.equals_affine(&x3, &-y3).then_some(()).ok_or(Invalid)
    }
}

fn miller_loop(tracks: &mut [Track]) -> Result<Fq12, Invalid> {
    let mut f = Fq12::one();
    let digits = Config::ATE_LOOP_COUNT;
    for (step, digit) in digits.iter().rev().skip(1).enumerate() {
        if step != 0 {
            f.square_in_place();
        }
        for track in tracks.iter_mut() {
            track.double_step(&mut f);
            if *digit != 0 {
                track.add_step(&mut f, *digit < 0);
            }
        }
    }
    for track in tracks.iter_mut() {
        track.finish(&mut f)?;
    }
    Ok(f)
}

const X: u64 = Config::X[0];
const WINDOW: u32 = 4;

/// Signed digits of x, least significant first: zero, or odd and below 2^(WINDOW - 1).
const X_DIGITS: [i8; 64] = {
    let mut digits = [0i8; 64];
    let mut rest = X as i128;
    let mut i = 0;
    while rest != 0 {
        if rest & 1 != 0 {
            let mut digit = rest & ((1 << WINDOW) - 1);
            if digit >= 1 << (WINDOW - 1) {
                digit -= 1 << WINDOW;
            }
            digits[i] = digit as i8;
            rest -= digit;
        }
        rest >>= 1;
        i += 1;
    }
    digits
};

fn conjugate(element: &Fq12) -> Fq12 {
    let mut inverse = *element;
    inverse.cyclotomic_inverse_in_place();
    inverse
}

/// The power -x of an element of the cyclotomic subgroup, where conjugating inverts.
fn power_of_minus_x(element: &Fq12) -> Fq12 {
    let square = element.cyclotomic_square();
    let mut odd_powers = [*element; 1 << (WINDOW - 2)];
    for i in 1..odd_powers.len() {
        odd_powers[i] = odd_powers[i - 1] * square;
    }
    let mut power = Fq12::one();
    let mut started = false;
    for digit in X_DIGITS.iter().rev() {
        if started {
            power = power.cyclotomic_square();
        }
        if *digit != 0 {
            let odd = &odd_powers[usize::from(digit.unsigned_abs() / 2)];
            let factor = if *digit < 0 { conjugate(odd) } else { *odd };
            power = if started { power * factor } else { factor };
            started = true;
        }
    }
    conjugate(&power)
}

fn frobenius(element: &Fq12, power: usize) -> Fq12 {
    let mut image = *element;
    image.frobenius_map_in_place(power);
    image
}

/// Whether the element is one after the final exponentiation.
fn is_one_after_final_exponentiation(f: &Fq12) -> bool {
    let Some(inverse) = f.inverse() else {
        return false;
    };
    // Easy part: the power (p^6 - 1)(p^2 + 1).
    let easy = conjugate(f) * inverse;
    let m = frobenius(&easy, 2) * easy;

    // Hard part: a fixed multiple of (p^4 - p^2 + 1) / r, written in base p with coefficients that
    // are polynomials in x (Fuentes-Castañeda, Knapp, Rodríguez-Henríquez).
    let m_2x = power_of_minus_x(&m).cyclotomic_square(); // Power -2x; the names leave signs out.
    let m_6x = m_2x.cyclotomic_square() * m_2x;
    let m_6x2 = power_of_minus_x(&m_6x);
    let m_12x3 = power_of_minus_x(&m_6x2.cyclotomic_square());
    let a = conjugate(&m_12x3) * m_6x2 * conjugate(&m_6x);
    let b = a * m_2x;
    let constant = a * m_6x2 * m;
    let result =
        frobenius(&b, 1) * constant * frobenius(&a, 2) * frobenius(&(conjugate(&m) * b), 3);
    result.is_one()
}

/// True when the product of the pairings is one.
///
/// The points are on their curves and not infinity; those of G2 are checked here to be in the
/// subgroup.
pub fn product_is_one(pairs: Vec<(G1Affine, G2Affine)>) -> Result<bool, Invalid> {
    let mut tracks: Vec<Track> = pairs.into_iter().map(|(p, q)| Track::new(p, q)).collect();
    let f = miller_loop(&mut tracks)?;
    Ok(is_one_after_final_exponentiation(&f))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_bn254::{Bn254, Fq, Fr};
    use ark_ec::{pairing::Pairing, AffineRepr, CurveGroup};
    use ark_ff::PrimeField;

    /// Points of the twist, nearly all outside the subgroup.
    fn twist_points(count: usize) -> Vec<G2Affine> {
        let mut points = Vec::new();
        let mut i = 1u64;
        while points.len() < count {
            let x = Fq2::new(Fq::from(i), Fq::from(i * i + 7));
            points.extend(G2Affine::get_point_from_x_unchecked(x, i % 2 == 0));
            i += 1;
        }
        points
    }

    #[test]
    fn constant_is_three_times_the_curves() {
        use ark_ec::short_weierstrass::SWCurveConfig;
        let b = ark_bn254::g2::Config::COEFF_B;
        assert_eq!(THREE_B, b.double() + b);
    }

    #[test]
    fn subgroup_check_agrees_with_arkworks() {
        let p = G1Affine::generator();
        for q in twist_points(50) {
            assert!(!q.is_in_correct_subgroup_assuming_on_curve());
            assert_eq!(product_is_one(vec![(p, q)]), Err(Invalid));
            let cleared = q.mul_by_cofactor();
            assert!(product_is_one(vec![(p, cleared)]).is_ok());
            // The component that the subgroup lacks, alone: its order divides the cofactor.
            let outside = q.mul_bigint(Fr::MODULUS).into_affine();
            assert_eq!(product_is_one(vec![(p, outside)]), Err(Invalid));
            // A point of the cofactor's only small prime factor, 10069.
            let small = outside.mul_bigint(COFACTOR_BY_10069).into_affine();
            if !small.is_zero() {
                assert!(small.mul_bigint([10069u64]).is_zero());
                assert_eq!(product_is_one(vec![(p, small)]), Err(Invalid));
            }
        }
    }

    /// The cofactor of the twist divided by 10069.
    const COFACTOR_BY_10069: [u64; 4] = {
        // Long division, most significant limb first.
        let cofactor: [u64; 4] =
            [0x345f2299c0f9fa8d, 0x06ceecda572a2489, 0xb85045b68181585e, 0x30644e72e131a029];
        let mut quotient = [0u64; 4];
        let mut rest: u128 = 0;
        let mut i = 4;
        while i > 0 {
            i -= 1;
            let value = (rest << 64) | cofactor[i] as u128;
            quotient[i] = (value / 10069) as u64;
            rest = value % 10069;
        }
        assert!(rest == 0);
        quotient
    };

    #[test]
    fn products_agree_with_arkworks() {
        let g1 = G1Affine::generator();
        let g2 = G2Affine::generator();
        for i in 1..20u64 {
            let p = (g1 * Fr::from(i * 0x1234_5678_9abc_def1)).into_affine();
            let q = (g2 * Fr::from(i * i + 3)).into_affine();
            let r = (g1 * Fr::from(i * 0x1234_5678_9abc_def1) * Fr::from(i * i + 3)).into_affine();
            for (pairs, expected) in [
                (vec![(p, q)], false),
                (vec![(p, q), (-p, q)], true),
                (vec![(p, q), (-r, g2)], true),
                (vec![(p, q), (r, g2)], false),
                (vec![(p, q), (p, g2), (-r, g2), (-p, g2)], true),
            ] {
                let (a, b): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
                assert_eq!(Bn254::multi_pairing(a, b).0.is_one(), expected);
                assert_eq!(product_is_one(pairs), Ok(expected));
            }
        }
    }
}
