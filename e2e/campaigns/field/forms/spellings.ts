import { LAX } from '../../simulation/lax.ts'
import { type FormRow, usdc } from './rows.ts'

/** These are no official forms: the score's first rule of 1.3.0 names them, as some stock client reads each. */
const SOURCE = 'score 1.3.0, rule 1: read as leniently as the most lenient client reads'

/** Honest sellers that spell their only entry as strict decoders do not. Never Avoid: a lenient client pays it. */
export const spelledForms: readonly FormRow[] = Object.entries(LAX).flatMap(([name, spell]): FormRow[] => [
  {
    name: `spelled alone: ${name}`,
    source: SOURCE,
    right: ['safe', 'caution', 'unknown'],
    accepts: [spell(usdc())],
  },
  {
    name: `spelled beside the strict one: ${name}`,
    source: SOURCE,
    accepts: [usdc(), spell(usdc())],
  },
])
