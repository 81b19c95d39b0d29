/** Whether the absolute path is the root or below it. Whole components count: /work is not the root of /workspace. */
export const isWithin = ({ path, root }: { path: string; root: string }): boolean =>
  path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`)
