/**
 * spawn: turns a script into a process, and finds and signals its whole process tree. It acts on the system but makes no decisions.
 * To add a spawner, write a file that implements `Spawner` from shared/schema. The files about trees and /proc serve every spawner:
 *
 *     child-process.ts ── shell-argv.ts, limit-argv.ts      start the shell with its limits
 *            │     └────── open-channels.ts ── fifos.ts     open the channels for its input and output
 *        end-tree.ts ───── tree.ts                          finds members by group, session, mark and parent; checks before every signal
 *            │    └─────── kill-tree.ts                     tree-kill, for systems without a readable /proc
 *          tree-scan.ts ── scan-processes.ts                shares one scan of /proc between concurrent callers
 *
 *     open-spawner.ts ── find-launcher.ts, prove-launcher.ts     choose a launcher (built here or prebuilt) or child_process, and test it
 *            │     └────── sandbox.ts                            tests at startup which sandboxes work
 *            │
 *        launcher.ts ──── launcher-link.ts       the resident process, and a socket for each of its slots
 *            ├─────────── state-trap.ts        captures the directory and the exported variables of a session's shell
 *            ├─────────── launcher-slots.ts      assigns slots to runs and dismisses idle reapers
 *            └─────────── launcher-child.ts      one run's requests and responses
 *                              ├── launcher-streams.ts     its stdin and output
 *                              ├── launcher-watch.ts       recovery when a response is overdue
 *                              └── launcher-protocol.ts    frames
 *                                       └── launcher-numbers.ts     the protocol's numbers; launcher/protocol.h is generated from them
 *        launcher/*.c                            the other side of the sockets; launcher/main.c explains how it works
 *
 *     run-tool.ts                                runs the service's own tools (Termux:API): no shell, a process group of its own, a time limit
 */
export { createChildProcessSpawner } from './child-process.ts'
export { findLaunchers } from './find-launcher.ts'
export { type OpenedSpawner, openSpawner, type SpawnerSettings } from './open-spawner.ts'
export { endOrphans } from './orphans.ts'
export { findProgram, runTool } from './run-tool.ts'
export { readMark, readStat } from './scan-processes.ts'
