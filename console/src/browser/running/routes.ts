import type { Route } from '../routes.ts'

export const runningRoutes: readonly Route[] = []
