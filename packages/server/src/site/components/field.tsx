import type { ComponentChildren } from 'preact'

type FieldProps = {
  readonly name: string
  readonly label: ComponentChildren
  readonly hint?: ComponentChildren
  /** What is wrong with the value. */
  readonly fault?: string | undefined
  readonly value?: string | undefined
  readonly isRequired?: boolean
  /** Lines of a larger field. @default one line */
  readonly rows?: number
  /** Maximum number of characters. @default 2048 */
  readonly max?: number
}

/** A labelled field of a form, with a hint and what is wrong with its value. */
export function Field({ name, label, hint, fault, value = '', isRequired = false, ...props }: FieldProps) {
  const { rows, max = 2048 } = props
  const id = `f-${name}`
  const notes = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`].filter(Boolean)
  const shared = {
    id,
    name,
    maxLength: max,
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

/** Asks for a host. */
export function HostField() {
  return (
    <Field name="host" label="Host" hint="As on its profile, such as api.example.com" isRequired max={300} />
  )
}

type SignatureProps = Pick<FieldProps, 'value' | 'fault'> & {
  readonly label?: string
  /** Follows the form of a signature. */
  readonly note?: string
}

/** Asks for a signature by `personal_sign`. */
export function SignatureField({ label = 'Signature', note, ...given }: SignatureProps) {
  const hint = `0x and 130 hexadecimal digits${note === undefined ? '' : `. ${note}`}`
  return <Field name="signature" label={label} hint={hint} {...given} isRequired max={4200} />
}
