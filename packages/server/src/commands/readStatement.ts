import { MAX_DISPUTE_CHARACTERS } from '../owners/disputes.ts'
import { cleanText } from '../site/text.ts'

/** Reads a public statement of the operator. @throws Error that names the input if it is empty or too long */
export function readStatement(name: string, given: string): string {
  const statement = cleanText(given, MAX_DISPUTE_CHARACTERS)
  if (statement === '' || [...given].length > MAX_DISPUTE_CHARACTERS)
    throw new Error(`${name} takes 1 to ${MAX_DISPUTE_CHARACTERS} characters of plain text`)
  return statement
}
