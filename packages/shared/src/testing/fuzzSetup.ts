import fc from 'fast-check'

// Properties run FUZZ_RUNS cases each, from FUZZ_SEED on if it is set. A failure prints its seed and path.
const { FUZZ_RUNS = '100', FUZZ_SEED } = process.env

fc.configureGlobal({
  numRuns: wholeNumber('FUZZ_RUNS', FUZZ_RUNS),
  ...(FUZZ_SEED !== undefined && { seed: wholeNumber('FUZZ_SEED', FUZZ_SEED) }),
})

function wholeNumber(name: string, text: string): number {
  if (!/^-?\d+$/.test(text)) throw new Error(`${name} must be a whole number, got "${text}"`)
  return Number(text)
}
