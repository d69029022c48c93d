import type { operators as english } from '../en/operators.ts'
import type { Translated } from '../words.ts'

export const operators: Translated<typeof english> = {}
