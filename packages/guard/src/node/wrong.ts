import { ConfigurationError } from '../errors.ts'

/** Creates the error of a setting that is wrong. */
export const wrong = (details: string, cause?: unknown) =>
  new ConfigurationError('CONFIGURATION', { details, cause })
