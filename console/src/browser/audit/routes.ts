import type { Route } from '../routes.ts'

export const auditRoutes: readonly Route[] = []
