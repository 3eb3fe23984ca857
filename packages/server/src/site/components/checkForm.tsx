import type { ComponentChildren } from 'preact'
import { SCANS_PATH } from '../paths.ts'
import { quoteShell } from '../text.ts'
import { Field } from './form.tsx'

type CheckFormProps = {
  /** Initial value of the field. */
  readonly url?: string
  /** Error of the field. */
  readonly fault?: string
}

/** Asks for a check of a URL or host. A plain form, so it works without scripts; input is never truncated. */
export function CheckForm({ url = '', fault }: CheckFormProps) {
  return (
    <>
      <form class="search large" action={SCANS_PATH} method="post">
        <label class="hidden" for="check-url">
          URL of an x402 endpoint, or a host
        </label>
        <input
          id="check-url"
          name="url"
          required
          inputMode="url"
          placeholder="https://api.example.com/v1/weather"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          value={url}
          {...(fault !== undefined && { 'aria-invalid': 'true', 'aria-describedby': 'check-url-fault' })}
        />
        <button type="submit">Check</button>
      </form>
      {fault !== undefined && (
        <p class="fault" id="check-url-fault" role="alert">
          {fault}
        </p>
      )}
      <p class="small muted">
        Free, takes about ten seconds, pays nothing, and only you get the link. Or on your own machine:{' '}
        <code>{localCommand('URL')}</code>
      </p>
    </>
  )
}

/** The command that makes the same checks of the terms without this service. */
export const localCommand = (url: string): string => `npx @touchstone402/guard scan ${quoteShell(url)}`

type PublishProps = { readonly url: string; readonly previous: string; readonly fault?: string }

/** Requests a check of an unlisted endpoint, and its listing if its host, a directory or the host claim names it. */
export function PublishForm({ url, previous, fault }: PublishProps) {
  return (
    <CheckButton fields={{ url, previous, publish: '1' }} label="Re-check and publish">
      <Field
        id="secret"
        name="secret"
        label="Claim secret (only if no document on your host lists this path)"
        fault={fault}
      />
    </CheckButton>
  )
}

type CheckButtonProps = {
  readonly fields: Readonly<Record<string, string>>
  readonly label: string
  /** Fields that are shown. @default none */
  readonly children?: ComponentChildren
}

/** Requests a check of the page's subject. */
export function CheckButton({ fields, label, children }: CheckButtonProps) {
  return (
    <form class="form" action={SCANS_PATH} method="post">
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {children}
      <button type="submit">{label}</button>
    </form>
  )
}
