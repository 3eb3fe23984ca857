/** An answer of the witness. */
export type WitnessAnswer = { readonly status: number; readonly type: string; readonly body: string }

export const TEXT = 'text/plain; charset=utf-8'

/** Answers with a line of plain text. */
export function plain(status: number, text: string): WitnessAnswer {
  return { status, type: TEXT, body: `${text}\n` }
}
