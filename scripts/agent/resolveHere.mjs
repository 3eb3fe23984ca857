// Loader hook: lets an agent's script import the guard and its peers wherever the script lies.

const HERE = new URL('../../examples/quickstart/agent.mjs', import.meta.url).href
const PACKAGE = /^(@touchstone402\/guard|@x402\/[a-z]+|viem)(\/|$)/

export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context)
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || !PACKAGE.test(specifier)) throw error
    return next(specifier, { ...context, parentURL: HERE })
  }
}
