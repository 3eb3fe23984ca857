/** Width of the interval that holds a quantile, at which the search ends. */
const EXACT = 1e-10

/**
 * Returns the p-quantile of a Beta(a, b) distribution: Newton's method on the regularised incomplete beta function, with
 * bisection where a step would leave the interval that holds the quantile.
 * @param a above 0
 * @param b above 0
 * @param p 0 to 1
 * @returns 0 to 1, exact to about 1e-9
 */
export function betaQuantile(p: number, a: number, b: number): number {
  const logFront = logFrontOf(a, b)
  let low = 0
  let high = 1
  let x = a / (a + b)
  for (let step = 0; step < 60 && high - low > EXACT; step++) {
    const excess = incompleteBeta(x, a, b) - p
    if (excess < 0) low = x
    else high = x
    const density = Math.exp(logFront + (a - 1) * Math.log(x) + (b - 1) * Math.log1p(-x))
    const next = x - excess / density
    if (Math.abs(next - x) < EXACT) return next
    x = next > low && next < high ? next : (low + high) / 2
  }
  return (low + high) / 2
}

/** Returns the regularised incomplete beta function. Source: continued fraction of NIST DLMF 8.17.22. */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  // The fraction converges fast below the mean; above it, use the symmetric form.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a)
  const front = Math.exp(logFrontOf(a, b) + a * Math.log(x) + b * Math.log1p(-x))
  return (front / a) * continuedFraction(x, a, b)
}

function continuedFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300
  const away = (value: number) => (Math.abs(value) < tiny ? tiny : value)
  let c = 1
  let d = 1 / away(1 - ((a + b) * x) / (a + 1))
  let result = d
  for (let m = 1; m <= 300; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / away(1 + even * d)
    c = away(1 + even / c)
    result *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / away(1 + odd * d)
    c = away(1 + odd / c)
    const step = d * c
    result *= step
    if (Math.abs(step - 1) < 1e-12) break
  }
  return result
}

const LANCZOS = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
]

/** Negative logarithm of the beta function. */
const logFrontOf = (a: number, b: number) => logGamma(a + b) - logGamma(a) - logGamma(b)

/** Natural logarithm of the gamma function from 0.5 on, by the Lanczos approximation (g = 7, n = 9). */
function logGamma(z: number): number {
  const x = z - 1
  let sum = 0.9999999999998099
  LANCZOS.forEach((coefficient, index) => {
    sum += coefficient / (x + index + 1)
  })
  const t = x + 7.5
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(t) - t + Math.log(sum)
}
