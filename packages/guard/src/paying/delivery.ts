/**
 * Reports whether a paid response delivers: a 2xx with at least one byte of body.
 * Returns an equal response without waiting for the body.
 */
export function watchDelivery(
  response: Response,
  method: string,
  report: (delivered: boolean) => Promise<void>,
): Promise<Response> | Response {
  if (!response.ok) return report(false).then(() => response)
  if (method === 'HEAD') return report(true).then(() => response)
  if (response.body === null || response.headers.get('content-length') === '0') {
    return report(false).then(() => response)
  }
  const reader = response.body.getReader()
  let isReported = false
  const body = new ReadableStream<Uint8Array>({
    // The default strategy pulls once before the caller reads, so an empty body is always detected.
    async pull(controller) {
      const { done, value } = await reader.read()
      if (!isReported && (done || value.byteLength > 0)) {
        isReported = true
        await report(!done)
      }
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  const watched = new Response(body, response)
  Object.defineProperty(watched, 'url', { value: response.url })
  return watched
}
