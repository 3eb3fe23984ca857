/** Something that a command takes: a word, an option with a value, or a flag. */
export type Input<Value> = {
  readonly kind: 'word' | 'option' | 'flag'
  /** Its value as the help writes it, such as `HOST`; empty for a flag. */
  readonly value: string
  /** Begins in lower case, without a full stop. */
  readonly about: string
  readonly isRequired: boolean
  /** Whether an option may be given more than once. */
  readonly isList: boolean
  /**
   * Reads the values given; none if it was left out.
   * @throws Error with what the value must be, such as `must be a whole number`
   */
  readonly read: (given: readonly string[]) => Value
}

/** Inputs of a command by name. Words keep their order. */
export type Inputs = Readonly<Record<string, Input<unknown>>>

/** Values of {@link Inputs}, as a command gets them. */
export type ValuesOf<Takes extends Inputs> = {
  readonly [Name in keyof Takes]: Takes[Name] extends Input<infer Value> ? Value : never
}

const first = ([given]: readonly string[]) => given
// The parser refuses a command line without it.
const given = ([text = '']: readonly string[]) => text

/** Declares a word that must be given. */
export const word = (value: string, about: string): Input<string> => ({
  kind: 'word',
  value,
  about,
  isRequired: true,
  isList: false,
  read: given,
})

/** Declares a word that can be left out. */
export const optionalWord = (value: string, about: string): Input<string | undefined> => ({
  ...word(value, about),
  isRequired: false,
  read: first,
})

/** Declares an option with a value. */
export const option = (value: string, about: string): Input<string | undefined> => ({
  ...optionalWord(value, about),
  kind: 'option',
})

/** Declares an option that must be given. */
export const requiredOption = (value: string, about: string): Input<string> => ({
  ...word(value, about),
  kind: 'option',
})

/** Declares an option that can be given more than once. */
export const listOption = (value: string, about: string): Input<readonly string[] | undefined> => ({
  ...option(value, about),
  isList: true,
  read: (texts) => (texts.length === 0 ? undefined : texts),
})

/** Declares an option whose value is one of a few. @param otherwise the default */
export function choiceOption<const Choice extends string>(
  choices: readonly Choice[],
  about: string,
  otherwise: NoInfer<Choice>,
): Input<Choice> {
  return {
    ...option(choices.join('|'), `${about}; default ${otherwise}`),
    read([text = otherwise]) {
      const found = choices.find((choice) => choice === text)
      if (found === undefined) throw new Error(`must be one of ${choices.join(', ')}`)
      return found
    },
  }
}

/** Range and default of a number. */
type Range = { readonly from: number; readonly to: number; readonly otherwise: number }

/** Declares an option whose value is a whole number. */
export function numberOption(value: string, about: string, { from, to, otherwise }: Range): Input<number> {
  return {
    ...option(value, `${about}, ${from} to ${to}; default ${otherwise}`),
    read([text = String(otherwise)]) {
      const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
      if (number >= from && number <= to) return number
      throw new Error(`must be a whole number from ${from} to ${to}`)
    },
  }
}

/** Declares an option without a value. */
export const flag = (about: string): Input<boolean> => ({
  kind: 'flag',
  value: '',
  about,
  isRequired: false,
  isList: false,
  read: (texts) => texts.length > 0,
})
