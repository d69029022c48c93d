import type { Route } from '../routes.ts'

export const operatorRoutes: readonly Route[] = []
