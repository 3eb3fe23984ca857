/** A rule of the guard, undone by a change of its source text. */
export type Mutation = {
  readonly name: string
  /** Path below the guard's `src`. */
  readonly file: string
  readonly from: string
  readonly to: string
}

/** Applies a mutation. @throws Error if its text does not stand in the file exactly once */
export function mutate(text: string, { name, file, from, to }: Mutation): string {
  const found = text.split(from).length - 1
  if (found !== 1) throw new Error(`mutation ${name}: its text stands ${found} times in ${file}, not once`)
  return text.replace(from, () => to)
}
