import type { Written } from './world/types.ts'

/** Spellings of an entry that strict decoders skip and some stock client signs. */
export const LAX: Readonly<Record<string, (entry: Written) => Written>> = {
  'amount-number': (entry) => changeAmount(entry, Number),
  'leading-zeros': (entry) => changeAmount(entry, (amount) => `00${amount}`),
  'amount-hex': (entry) => changeAmount(entry, (amount) => `0x${BigInt(amount).toString(16)}`),
  'timeout-text': (entry) => ({ ...entry, maxTimeoutSeconds: '300' }),
  'zero-in-chain-id': (entry) => ({ ...entry, network: 'eip155:08453' }),
  'v1-name-in-v2': (entry) => ({ ...entry, network: 'base' }),
  'other-case': (entry) =>
    Object.fromEntries(Object.entries(entry).map(([name, value]) => [toSnake(name), value])),
}

/** Python's models take both spellings of a name. */
const toSnake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function changeAmount(entry: Written, change: (amount: string) => unknown): Written {
  const name = 'maxAmountRequired' in entry ? 'maxAmountRequired' : 'amount'
  return { ...entry, [name]: change(String(entry[name])) }
}
