/** SVG paths on a 24 × 24 grid. */
const paths = {
  run: 'M4 7l5 5-5 5M12 18h8',
  runs: 'M3.5 9A9 9 0 1 1 3 12M3 4v5h5M12 7.5V12l3 2',
  approvals: 'M12 3l8 3v6c0 5-3.5 7.8-8 9-4.5-1.2-8-4-8-9V6zM8.8 12l2.3 2.3 4.2-4.3',
  rules: 'M9 6h11M9 12h11M9 18h11M4 6l1 1 1.5-2M4 12l1 1 1.5-2M4 18l1 1 1.5-2',
  numbers: 'M10 6h10M10 12h10M10 18h10M4 5l1.5-1v5M4 15.5c0-2 3-2 3 0 0 1.2-3 2-3 4h3',
  policy: 'M12 3v18M8 21h8M5 7h14M5 7l-3 7a3.2 3.2 0 0 0 6 0zM19 7l-3 7a3.2 3.2 0 0 0 6 0z',
  terminal: 'M3 5h18v14H3zM7 9.5l2.5 2.5L7 14.5M12.5 15H17',
  phone:
    'M8 2.5h8a1.5 1.5 0 0 1 1.5 1.5v16a1.5 1.5 0 0 1-1.5 1.5H8A1.5 1.5 0 0 1 6.5 20V4A1.5 1.5 0 0 1 8 2.5zM11 18.5h2',
  phones: 'M4 3h8v15H4zM15 7h5v14h-9M7.5 15h1',
  doctor: 'M3 12h4l2.5-6 5 12 2.5-6h4',
  settings: 'M4 7h9M17 7h3M15 5v4M4 12h3M11 12h9M9 10v4M4 17h9M17 17h3M15 15v4',
  access: 'M11 13L4 20M6 18l2.5 2.5M14.5 14a4.5 4.5 0 1 0-3.2-1.3A4.5 4.5 0 0 0 14.5 14z',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  copy: 'M9 9h11v11H9zM5.5 15H4V4h11v1.5',
  download: 'M12 4v11M7 10.5l5 5 5-5M5 20h14',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20 20l-4-4',
  wrap: 'M4 6h16M4 12h13a3 3 0 0 1 0 6h-4M15.5 15.5L13 18l2.5 2.5M4 18h5',
  close: 'M6 6l12 12M18 6L6 18',
  stop: 'M7 7h10v10H7z',
  again: 'M20 12a8 8 0 1 1-2.3-5.6L20 8.5M20 4v4.5h-4.5',
  down: 'M12 5v13M6 12.5l6 6 6-6',
  up: 'M12 19V6M6 11.5l6-6 6 6',
  left: 'M15 5l-7 7 7 7',
  right: 'M9 5l7 7-7 7',
  warn: 'M12 4L2.5 20h19zM12 10v4.5M12 17.5h.01',
  ok: 'M5 12.5l4.5 4.5L19 7.5',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3.5 2',
  folder: 'M3 6h6l2 2.5h10V19H3z',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  jobs: 'M4 6h16M4 12h9M4 18h6M16 12l4 3.5-4 3.5',
  theme: 'M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18',
  edit: 'M4 20h4L20 8l-4-4L4 16zM13 7l4 4',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  link: 'M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 6 6l1-1',
  disk: 'M4 6c0-3.3 16-3.3 16 0v12c0 3.3-16 3.3-16 0zM4 6c0 3.3 16 3.3 16 0M4 12c0 3.3 16 3.3 16 0',
  plus: 'M12 5v14M5 12h14',
  help: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9.2 9.5a2.9 2.9 0 1 1 4.3 2.5c-1 .6-1.5 1-1.5 2M12 17h.01',
} as const

export type IconName = keyof typeof paths

/** One of the icons or, for what only one view shows, its path. */
type IconProps = { name: IconName; path?: never } | { name?: never; path: string }

/** A decorative icon next to text; screen readers skip it. */
export const Icon = ({ name, path }: IconProps) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={path ?? paths[name]} />
  </svg>
)

export const Logo = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" />
    <path d="M9 10l6 6-6 6M17 22h7" />
  </svg>
)
