import { useSlow } from './use-slow.ts'

/** Gray lines, where something is slow: shorter ones would only flicker. */
export function Skeleton({ lines = 3, label }: { lines?: number; label: string }) {
  if (!useSlow(true)) return null
  return (
    <div class="skeleton" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  )
}
