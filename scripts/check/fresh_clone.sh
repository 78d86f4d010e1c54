#!/usr/bin/env bash
# Clones the committed state into an empty folder and runs the commands of the README's "Two commands" there, as a newcomer would.
source "$(dirname "$0")/../project.sh"
clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
git clone -q . "$clone/memline"
cd "$clone/memline"
commands=$(sed -n '/^## Two commands/,/^## Using/p' README.md | sed -n 's/^    \(scripts[^ ]*\).*/\1/p')
[ "$(wc -w <<< "$commands")" = 2 ] || die "the README does not show two commands: $commands"
for command in $commands; do
  timed "$command in a fresh clone" "$command"
done
for made in demo-out/frames/frame_000099.jpg demo-out/labels/frame_000099.txt demo-out/memory.svg; do
  [ -s "$made" ] || die "$made is missing or empty"
done
[ "$(wc -l < demo-out/results.jsonl)" = 100 ] || die "demo-out/results.jsonl does not have 100 lines"
[ -z "$(git status --porcelain)" ] || die "the commands left files that git sees: $(git status --porcelain)"
echo "fresh clone: both commands work"
