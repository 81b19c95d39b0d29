import { onDemand } from '../parts/on-demand.tsx'

/** A view of rare-views.ts. */
export const rareView = onDemand(() => import('./rare-views.ts'))
