/** Records the responses of this thread in a folder. Returns a function that ends it. */
export function recordAnswers(folder: string): () => void
