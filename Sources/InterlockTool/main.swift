print("interlock")
