import type { Observation } from '../../facts/facts.ts'
import type { FollowedInput } from '../inputs.ts'
import { mainOffer } from '../offers.ts'
import { LIMITS } from '../spec.ts'
import { cut, on } from './words.ts'

const KINDS: Readonly<Record<NonNullable<Observation['input']>, string>> = {
  declared: 'for another declared value',
  generated: 'for a value that we generated',
  bare: 'without input',
}

/** Says how terms follow the input, and when that clears. */
export function describeFollowed({ usual, other, isReceiver, input }: FollowedInput): string {
  const [one, two] = [usual, other].map((probe) =>
    isReceiver ? cut(mainOffer(probe)?.payTo ?? '') : (mainOffer(probe)?.amountAtomic ?? ''),
  )
  const subject = isReceiver ? 'The receiver' : 'The amount'
  return `${subject} is ${one} for the usual input and ${two} ${KINDS[input]}, for two clients each. Clears when two clients get the same terms for both inputs, or on ${on(other.at + LIMITS.inputMemoryMs)}.`
}
