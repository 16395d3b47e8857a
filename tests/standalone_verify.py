"""Check an Affray log without Affray: every seal and digest, and every face of the dice epochs that were opened.

Usage: python standalone_verify.py FILE. Follows sessions/FORMAT.md with Python's own library; exits with a sentence when
something is wrong. Left out are dice of which the file does not show everything (a copy), and dice that no engine threw. How
many faces a die's chain had to have, whether dice had to wait, and whose faces were to be kept is not checked here.
"""

import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any


def digest(value: Any) -> str:
    return sha256(canonical(value)).hexdigest()


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def face(inputs: list[Any], die: int, link: int, sides: int, block: int = 0) -> int:
    number = int(digest([*inputs, die, link, block])[:16], 16)
    return number % sides + 1 if number < 2**64 - 2**64 % sides else face(inputs, die, link, sides, block + 1)


def slot_within(action: str, place: str, numbers: dict[str, int]) -> str:
    tokens = [token.split(".") for token in [*action.split(">")[1:], place]]
    for token, after in zip(tokens, [*tokens[1:], ["end"]], strict=True):
        if len(token) == (4 if len(after) == 1 else 3):  # a step (4) or a nested action (3) that names a person
            token[-2] = "+".join(str(numbers[who]) for who in token[-2].split("+"))
    *below, step = [".".join(token) for token in tokens]
    return f"{'>'.join(below)}|{step}"


def check(is_right: bool, problem: str) -> None:
    if not is_right:
        sys.exit(f"wrong: {problem}")


def verify(header: bytes, *lines: bytes) -> str:
    session, head, nonces = json.loads(header)["session"], sha256(header).hexdigest(), ""
    version, proven, chains = 0, 0, {"open": "", "kept": ""}
    epochs, opened = {"open": 1, "kept": 1}, {False: 0, True: 0}  # how many open and how many secret runs
    shown: dict[int, list[list[int]]] = {}  # the faces of every roll, by version
    pending: dict[str, list[tuple[int, Any, list[Any]]]] = {"open": [], "kept": []}
    numbers: dict[str, int] = {}  # of combatants, by join
    runs: dict[str, int] = {}  # the number of every run, by the id of its root action or moment; below 0 when secret
    states, is_whole = [(numbers, runs)], True
    for line in lines:
        commit = json.loads(line)
        envelope, kept = commit["envelope"], {digest(part): part for part in commit["kept"]}
        check(canonical(commit) == line, f"the line behind version {version} is not canonical")
        check(digest(envelope) == commit["digest"], f"the digest of the commit behind version {version}")
        check((envelope["first"], envelope["previous"]) == (version + 1, head), f"what follows version {version}")
        check(envelope["seals"] == [digest(event) for event in commit["events"]], f"a seal behind version {version}")
        head, nonces = commit["digest"], digest([nonces, envelope["nonce"]]) if envelope["nonce"] else nonces
        for event in commit["events"]:
            version += 1
            part = kept.get(event.get("kept"), {})
            event = {**event, **part.get("event", {}), **part.get("fields", {})}
            kind, action = event["kind"], event.get("action", "")
            if kind == "open":
                check(version == 1, f"a second commitment at version {version}")
                chains = {"open": event["chain"], "kept": event["kept_chain"]}
            elif kind == "rewind":
                numbers, runs = states[event["to"]]
            elif kind == "join":
                numbers = {**numbers, event["id"]: len(numbers) + 1}
            elif ">" not in action and (kind == "declare" or (kind == "turn" and event["moment"] != "resume")):
                is_secret = event.get("secret", False)
                opened[is_secret] += 1
                runs = {**runs, action: -opened[True] if is_secret else opened[False]}
            elif kind == "sealed":
                is_whole = False
            elif kind == "roll" and event["faces"]:
                shown[version], number = event["faces"], runs.get(action.partition(">")[0], 0)
                check(number != 0 or not is_whole, f"version {version} belongs to no action")
                if event["source"] == "engine" and (number > 0 or (number < 0 and is_whole)):
                    place = [kind, event["key"], event["by"], str(event["occurrence"])]
                    slot = slot_within(action, ".".join(filter(None, place)), numbers)
                    chain = "kept" if event["blind"] or number < 0 else "open"
                    pending[chain].append((version, event, [session, epochs[chain], nonces, number, slot]))
            elif kind == "reveal-dice":
                chain, secret = event["chain"], event["secret"]
                check(sha256(bytes.fromhex(secret)).hexdigest() == chains[chain], f"the secret at version {version}")
                check(event["epoch"] == epochs[chain], f"the epoch at version {version}")
                for at, roll, inputs in pending[chain]:
                    dice = [term["sides"] for term in roll["plan"]["terms"] for _ in range(term["count"])]
                    recorded = shown.get(roll["reused"], [])
                    for die, (sides, links) in enumerate(zip(dice, roll["faces"], strict=True)):
                        drawn = [face([secret, *inputs], die, link, sides) for link in range(len(links))]
                        for link, old in enumerate(recorded[die][: len(links)] if die < len(recorded) else []):
                            drawn[link] = old if old <= sides else drawn[link]
                        check(drawn == links, f"die {die + 1} of version {at} shows {links}, drawn was {drawn}")
                        proven += len(links)
                pending[chain], chains[chain], epochs[chain] = [], secret, epochs[chain] + 1
            states.append((numbers, runs))
    left = len(pending["open"] + pending["kept"])
    return f"{session}: {version} events, {proven} faces proven, {left} rolls not opened, head {head}"


if __name__ == "__main__":
    print(verify(*Path(sys.argv[1]).read_bytes().split(b"\n")[:-1]))
