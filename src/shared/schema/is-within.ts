/** Whether the absolute path is the root or below it. It compares whole components: /workspace is not within /work. */
export const isWithin = ({ path, root }: { path: string; root: string }): boolean =>
  path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`)
