/**
 * spawn: turns a script into a process, finds its whole tree again and signals it. It touches the world and decides nothing.
 * A spawner is one more file that implements the `Spawner` of schema; the files about trees and /proc serve every spawner:
 *
 *     child-process.ts ── shell-argv.ts, limit-argv.ts     how the shell is started, within which limits
 *            │     └────── open-channels.ts ──── fifos.ts         what its output runs through
 *        end-tree.ts ───── tree.ts                          group, session, mark, parent links; the guard before every signal
 *            │    └─────── kill-tree.ts                     tree-kill, where /proc cannot be read
 *          tree-scan.ts ─────── scan-processes.ts                one look at /proc for all who ask who is alive of a tree
 *
 *     open-spawner.ts ── find-launcher.ts, prove-launcher.ts     which spawner: built here, prebuilt, or child_process, each proved
 *            │     └────── sandbox.ts                 which sandboxes hold, tried at the start
 *            │
 *        launcher.ts ──── launcher-link.ts       the resident process, and a socket for each of its slots
 *            ├─────────── launcher-slots.ts      which slot a run gets, who rests, and what is done where no answer comes
 *            └─────────── launcher-child.ts      one run's questions and answers
 *                              ├── launcher-streams.ts     its stdin, its output
 *                              └── launcher-protocol.ts    frames
 *                                       └── launcher-numbers.ts     what both sides go by; launcher/protocol.h is made of it
 *        launcher/*.c                            the other side of the sockets; launcher/main.c says how it works
 *
 *     run-tool.ts                               the service's own tools (Termux:API): argv, never a shell, a group, a time limit
 */
export { createChildProcessSpawner } from './child-process.ts'
export { findLaunchers } from './find-launcher.ts'
export { type OpenedSpawner, openSpawner, type SpawnerSettings } from './open-spawner.ts'
export { endOrphans } from './orphans.ts'
export { findProgram, runTool } from './run-tool.ts'
export { readMark, readStat } from './scan-processes.ts'
