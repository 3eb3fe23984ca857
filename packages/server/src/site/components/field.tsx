import type { ComponentChildren } from 'preact'

export type FieldProps = {
  readonly name: string
  /** Name of the form, where a page has several. */
  readonly form?: string
  readonly label: ComponentChildren
  readonly hint?: ComponentChildren
  /** What is wrong with the value. */
  readonly fault?: string | undefined
  readonly value?: string | undefined
  /** @default true */
  readonly isRequired?: boolean
  /** Lines of a larger field. @default one line */
  readonly rows?: number
}

/** A labelled field of a form, with a hint and what is wrong with its value. What is pasted is never cut. */
export function Field({ name, form, label, hint, fault, value = '', isRequired = true, rows }: FieldProps) {
  const id = ['f', form, name].filter(Boolean).join('-')
  const notes = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`].filter(Boolean)
  const shared = {
    id,
    name,
    required: isRequired,
    spellcheck: false,
    autocomplete: 'off',
    ...(notes.length > 0 && { 'aria-describedby': notes.join(' ') }),
    ...(fault !== undefined && { 'aria-invalid': 'true' as const }),
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {rows === undefined ? (
        <input {...shared} autocapitalize="none" value={value} />
      ) : (
        <textarea {...shared} rows={rows}>
          {value}
        </textarea>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault !== undefined && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  )
}
