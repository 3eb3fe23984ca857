import { z } from 'zod'
import { integer, required } from './settingKinds.ts'

/** Licence under which the operator offers the data of reports. */
type DataLicense = {
  /** SPDX id, or the name that the operator gives. */
  readonly name: string
  readonly url: string
}

const SPDX_ID = /^[A-Za-z0-9][A-Za-z0-9.+-]{1,63}$/
const NAMED_URL = /^(https:\/\/\S+) (\P{Cc}{1,100})$/u
const CONTACT_URL = /^(mailto:[^\s@]+@\S+|https:\/\/\S+)$/i
const isMailAddress = (text: string) => /^[^\s@:<>]+@[^\s@<>]+$/.test(text)

/** Settings of who runs the service, by name. */
export const operatorSettings = {
  OPERATOR_NAME: required('who runs this service, as its pages name them')
    .max(100, 'must be at most 100 characters')
    .regex(/^\P{Cc}+$/u, 'must be one line'),
  OPERATOR_CONTACT: required('how sellers, buyers and researchers reach the operator of this service')
    .max(200, 'must be at most 200 characters')
    .transform((text) => (isMailAddress(text) ? `mailto:${text}` : text))
    .refine(
      (url) => CONTACT_URL.test(url) && URL.canParse(url),
      'must be a mail address, or a mailto: or https: URL',
    ),
  DISPUTE_DAYS: integer(1, 90, 7),
  DATA_LICENSE: z
    .string()
    .trim()
    .refine(
      (text) => SPDX_ID.test(text) || URL.canParse(NAMED_URL.exec(text)?.[1] ?? ''),
      'must be an SPDX id such as CC-BY-4.0, or an https: URL, a space and a name',
    )
    .transform(readLicense)
    .optional(),
}

/** Reads the licence of the data: an SPDX id leads to its text. */
function readLicense(text: string): DataLicense {
  const [, url = `https://spdx.org/licenses/${text}.html`, name = text] = NAMED_URL.exec(text) ?? []
  return { name, url }
}

/** Reports a contact URL of the service itself, which does not reach its operator. */
export function checkOperatorSettings(
  { PUBLIC_URL, OPERATOR_CONTACT }: { readonly PUBLIC_URL: string; readonly OPERATOR_CONTACT: string },
  context: z.RefinementCtx,
): void {
  if (!PUBLIC_URL.startsWith('https:') || !OPERATOR_CONTACT.startsWith(`${PUBLIC_URL}/`)) return
  const message = 'must not be a page of the service itself'
  context.addIssue({ code: 'custom', path: ['OPERATOR_CONTACT'], message })
}

/** Returns the settings of a service in development, whose PUBLIC_URL is http: it need not name its operator. */
export function developmentOperator(publicUrl: string | undefined): Readonly<Record<string, string>> {
  if (publicUrl === undefined || !/^http:/i.test(publicUrl) || !URL.canParse(publicUrl)) return {}
  return {
    OPERATOR_NAME: 'a developer, on their own machine',
    OPERATOR_CONTACT: 'mailto:nobody@localhost',
  }
}
