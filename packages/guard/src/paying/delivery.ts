/**
 * Reports whether a paid response delivers: a 2xx with at least one byte of body.
 * Returns an equal response without waiting for the body.
 */
export function watchDelivery(
  response: Response,
  method: string,
  report: (delivered: boolean) => Promise<void>,
): Promise<Response> | Response {
  const isEmpty = response.headers.get('content-length') === '0'
  if (!response.ok || method === 'HEAD' || response.body === null || isEmpty) {
    return report(response.ok && method === 'HEAD').then(() => response)
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
