import { randomBytes } from 'node:crypto'

/** A value that no other test and no other run uses. */
export function unique(label = 'id'): string {
  return `${label}-${randomBytes(12).toString('base64url')}`
}

/** Calls `call` that often without waiting between, and resolves the results in order. */
export function atOnce<T>(count: number, call: (position: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, position) => call(position)))
}
