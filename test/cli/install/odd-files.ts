/** Files as people and programs leave them behind, each with what must survive an edit. */

const entry = '{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "check" }] }'

export const ODD_JSON: Record<string, string> = {
  'an empty file': '',
  'an empty line': '\n',
  'an empty file with a byte order mark': '\ufeff',
  'nothing but a comment': '// nothing yet\n',
  'nothing but comments, with CRLF and no final newline': '\ufeff/* nothing\r\n   yet */ // none',
  'an empty object': '{}',
  'an empty object with a line end': '{}\n',
  'an empty object over two lines': '{\n}\n',
  'an empty object with a comment': '{\n  // nothing yet\n}\n',
  'an empty object with a blank': '{ }',
  'two blanks': '{\n  "model": "x",\n  "zebra": { "b": 1, "a": 2 }\n}\n',
  'four blanks':
    '{\n    "model": "x",\n    "env": {\n        "B": "1",\n        "A": "2"\n    }\n}\n',
  tabs: '{\n\t"model": "x",\n\t"env": {\n\t\t"A": "1"\n\t}\n}\n',
  'one blank': '{\n "model": "x"\n}\n',
  'no indentation': '{\n"model": "x"\n}\n',
  'one line': '{"model":"x","env":{"A":"1"}}',
  'one line with blanks': '{ "model": "x", "env": { "A": "1" } }\n',
  CRLF: '{\r\n  "model": "x",\r\n  "env": {}\r\n}\r\n',
  'a byte order mark': '\ufeff{\n  "model": "x"\n}\n',
  'a byte order mark and one line': '\ufeff{"model": "x"}',
  'a byte order mark and CRLF': '\ufeff{\r\n\t"model": "x"\r\n}',
  'no final newline': '{\n  "model": "x"\n}',
  'many final newlines': '{\n  "model": "x"\n}\n\n\n',
  'a trailing comma': '{\n  "model": "x",\n}\n',
  'a trailing comma in one line': '{ "model": "x", }',
  'a comment behind the last value': '{\n  "model": "x" // the best\n}\n',
  'a comment behind a trailing comma': '{\n  "model": "x", // the best\n}\n',
  'a comment before the comma': '{\n  "model": "x" /* the best */,\n  "a": 1\n}\n',
  'comments at the end': '{\n  "model": "x"\n  // "old": "y"\n  /* and\n     more */\n}\n',
  'comments around everything': '// mine\n{\n  /* a */ "model": /* b */ "x" /* c */\n} // end\n',
  'a comment with braces': '{\n  // } ] " \\\n  "model": "}" // {\n}\n',
  'keys that are there twice': '{\n  "model": "x",\n  "model": "y"\n}\n',
  'numbers as they were written':
    '{\n  "a": 1.0,\n  "b": 1e3,\n  "c": -0,\n  "d": 12345678901234567890\n}\n',
  'escapes as they were written': '{\n  "a": "\\u0041\\/b",\n  "ü": "\\ud83d\\ude00 😀"\n}\n',
  'an empty section': '{\n  "hooks": {},\n  "mcpServers": {}\n}\n',
  'an empty section over two lines': '{\n  "hooks": {\n  },\n  "mcpServers": {\n  }\n}\n',
  'empty lists of every kind':
    '{\n  "hooks": {\n    "SessionStart": [],\n    "sessionStart": [ ],\n    "Stop": [\n    ],\n    "Notification": []\n  },\n  "permissions": { "allow": [] }\n}\n',
  'hooks of others': `{\n  "hooks": {\n    "SessionStart": [\n      ${entry}\n    ],\n    "Stop": [${entry}, ${entry}],\n    "stop": [{ "command": "mine" }]\n  }\n}\n`,
  'hooks of others, with trailing commas': `{\n  "hooks": {\n    "SessionStart": [\n      ${entry}, // keep\n    ],\n  },\n}\n`,
  'hooks of others in one line': `{"hooks":{"SessionStart":[${entry}]},"z":1}`,
  'servers of others':
    '{\n  "mcpServers": {\n    "other": {\n      "command": "x"\n    }\n  },\n  "servers": { "other": { "command": "x" } },\n  "mcp": {\n    "other": { "type": "local", "command": ["x"] }\n  }\n}\n',
  'rules of others':
    '{\n  "permissions": {\n    "allow": [\n      "Bash(ls:*)"\n    ],\n    "deny": ["mcp__loam"]\n  },\n  "permission": { "bash": "ask" }\n}\n',
  'braces of another style': '{\n  "hooks":\n  {\n    "Stop":\n    [\n    ]\n  }\n}\n',
  'commas of another style': '{\n    "model": "x"\n  , "env": { "A": "1" }\n  , "z": 2\n}\n',
  'blanks at the ends of lines': '{   \n  "model": "x"  ,   \n  "env": {   }   \n}   \n',
}

export const ODD_TOML: Record<string, string> = {
  'an empty file': '',
  'an empty line': '\n',
  'values alone': 'model = "x"\napproval_policy = "never"\n',
  'no final newline': 'model = "x"',
  'a blank line at the end': 'model = "x"\n\n',
  CRLF: 'model = "x"\r\n\r\n[tui]\r\nnotifications = true\r\n',
  'a byte order mark': '\ufeffmodel = "x"\n',
  comments:
    '# mine\nmodel = "x" # the best\n\n# servers\n[mcp_servers.other] # one\ncommand = "x"\n# the end\n',
  'servers of others':
    '[mcp_servers.other]\ncommand = "x"\nargs = ["a", "b"]\n\n[mcp_servers.other.env]\nA = "1"\n',
  'strings over many lines':
    'a = """\n[mcp_servers.loam]\ncommand = "no"\n"""\nb = \'\'\'\n[x]\n\'\'\'\n',
  'lists over many lines': 'a = [\n  ["x"],\n  ["y"]\n]\n[b]\nc = [ # [z]\n  "]",\n]\n',
  'trust of hooks':
    '[hooks.state."/home/x/.codex/hooks.json:session_start:0:0"]\ntrusted_hash = "sha256:0"\n',
  'lists of tables': '[[profiles]]\nname = "a"\n[[profiles]]\nname = "b"\n',
  'an inline table of its own':
    'tools = { web = true }\n\n[projects."/x/y"]\ntrust_level = "trusted"\n',
}
