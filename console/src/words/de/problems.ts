import type { problems as english } from '../en/problems.ts'
import type { Translated } from '../words.ts'

export const problems: Translated<typeof english> = {}
