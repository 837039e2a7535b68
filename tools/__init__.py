if __name__ != "anvl.tools":
    raise ImportError("import `anvl.tools`, not the source folder `tools`")
